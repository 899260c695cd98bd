import { env } from "@/lib/platform/env";
import type { MailContents, MailKind } from "./mail-kinds";
import { type Message, messages, subjects } from "./mail-texts";

/** The mail as it is sent. */
export type WrittenMail = { subject: string; text: string; html: string };

/** Subject, text and HTML. */
export function writeMail<Kind extends MailKind>(
  mail: { kind: Kind } & MailContents[Kind],
): WrittenMail {
  const { paragraphs, link } = messages[mail.kind](mail);
  const lines = paragraphs.map(oneLine);
  return {
    subject: subjects[mail.kind],
    text: `${[...lines, ...(link ? [`${link.text}:\n${link.url}`] : [])].join("\n\n")}\n\n-- \nParlance, ${env().APP_URL}\n`,
    html: toHtml(lines, link),
  };
}

function toHtml(paragraphs: string[], link: Message["link"]): string {
  const button = link
    ? `<p style="margin:24px 0"><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 16px;border-radius:8px;background:#15171c;color:#ffffff;text-decoration:none">${escapeHtml(link.text)}</a></p>
<p style="color:#5b616d;font-size:13px;word-break:break-all">${escapeHtml(link.url)}</p>`
    : "";
  return `<!doctype html>
<html lang="en"><body style="margin:0;padding:24px;background:#fbfbfc;color:#15171c;font:15px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto">
<p style="font-weight:600">Parlance</p>
${paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join("\n")}
${button}
</div></body></html>
`;
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ");
