"use client";

import { Paperclip } from "lucide-react";
import dynamic from "next/dynamic";
import { unstable_rethrow } from "next/navigation";
import {
  type ClipboardEvent,
  type KeyboardEvent,
  useEffect,
  useRef,
  useState,
  useTransition,
} from "react";
import { ShowApiCall } from "@/components/shell/show-api-call";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { randomKey } from "@/components/ui/random-key";
import { LeaveGuard } from "@/components/ui/unsaved-changes";
import { useFileDrop } from "@/components/uploads/use-file-drop";
import { useUploads } from "@/components/uploads/use-uploads";
import type { ListMembers, SendKind, SendMessage } from "./action-types";
import { MentionList } from "./mention-list";
import { useMentions } from "./use-mentions";

// Loaded on demand, because most messages have no files.
const AttachmentTray = dynamic(
  () => import("./attachment-tray").then((tray) => tray.AttachmentTray),
  { ssr: false },
);

type Choice = { label: string; key?: string; placeholder: string; send: string; sent: string };

const choices: Record<SendKind, Choice> = {
  reply: {
    label: "Reply",
    key: "r",
    placeholder: "Write to the customer",
    send: "Send reply",
    sent: "Reply sent.",
  },
  note: {
    label: "Note",
    key: "n",
    placeholder: "Only your team sees a note",
    send: "Add note",
    sent: "Note added.",
  },
  customer: {
    label: "As customer",
    placeholder: "What the customer would write",
    send: "Send as customer",
    sent: "Message sent.",
  },
};

const longest = 10_000;
const lengthToWarnAt = 9_000;

type ComposerProps = {
  conversationId: string;
  kinds: SendKind[];
  /** Whether a reply can also resolve the conversation. */
  canResolve: boolean;
  /** The URL that files are uploaded to, and what one message can have. */
  files: { url: string; maximumBytes: number; maximumCount: number };
  /** Whom a note can mention. Called when the first `@` is typed. */
  listMembers: ListMembers;
  send: SendMessage;
};

/**
 * The text stays until it is sent: after an error, after a lost response, and while another
 * conversation is open. Each text has an idempotency key, so retries send it only once. Files are
 * uploaded as soon as they are chosen.
 */
export function Composer({
  conversationId,
  kinds,
  canResolve,
  files,
  listMembers,
  send,
}: ComposerProps) {
  const [kind, setKind] = useState<SendKind>("reply");
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const [sent, setSent] = useState("");
  const [isPending, startTransition] = useTransition();
  const area = useRef<HTMLTextAreaElement>(null);
  const isSending = useRef(false);
  const attempt = useRef({ of: "", key: "" });
  const draftName = `draft ${conversationId}`;
  const picker = useRef<HTMLInputElement>(null);
  const { uploads, add, again, remove, clear } = useUploads({
    ...{ url: files.url, maximumBytes: files.maximumBytes },
    gone: "This organization no longer exists.",
  });
  const drop = useFileDrop(addFiles);
  const mentions = useMentions({ area, isOn: kind === "note", listMembers, write });
  const attachments = uploads.flatMap(({ sent }) => (sent?.outcome === "done" ? [sent.id] : []));
  const isUploading = uploads.some(({ sent }) => sent === null);
  const hasFailed = uploads.some(({ sent }) => sent && sent.outcome !== "done");
  // A message must not be sent without a file that its writer believes to be in it.
  const isReady = !isUploading && !hasFailed && (text.trim() !== "" || attachments.length > 0);

  useEffect(() => setText(sessionStorage.getItem(draftName) ?? ""), [draftName]);

  function write(next: string) {
    setText(next);
    setSent("");
    if (next) sessionStorage.setItem(draftName, next);
    else sessionStorage.removeItem(draftName);
  }

  function addFiles(chosen: File[]) {
    const room = files.maximumCount - uploads.length;
    setRefusal(
      chosen.length > room ? `A message can have at most ${files.maximumCount} files.` : undefined,
    );
    setSent("");
    add(chosen.slice(0, Math.max(0, room)));
  }

  /** Text that is copied from a document can come with a picture of itself. */
  function onPaste(event: ClipboardEvent) {
    const { files: given, types } = event.clipboardData;
    const pasted = Array.from(given);
    if (pasted.length === 0 || types.includes("text/plain")) return;
    event.preventDefault();
    addFiles(pasted);
  }

  function choose(next: SendKind) {
    setKind(next);
    mentions.close();
    setRefusal(undefined);
    area.current?.focus();
  }

  function submit(resolves = false) {
    // A second click can arrive before the button renders as pending.
    if (isSending.current || !isReady) return;
    isSending.current = true;
    const of = `${kind} ${resolves} ${attachments} ${text}`;
    if (attempt.current.of !== of) attempt.current = { of, key: randomKey() };
    const { key } = attempt.current;
    startTransition(async () => {
      const problem = await attemptToSend({
        ...{ kind, attachments, key, resolves },
        text: text.trim() === "" ? "" : text,
      });
      isSending.current = false;
      setRefusal(problem);
      if (problem !== undefined) return;
      attempt.current = { of: "", key: "" };
      write("");
      clear();
      setSent(choices[kind].sent);
      area.current?.focus();
    });
  }

  /** @returns what went wrong, as a sentence. */
  async function attemptToSend(message: Parameters<SendMessage>[0]): Promise<string | undefined> {
    try {
      const result = await send(message);
      return result.outcome === "refused" ? result.message : undefined;
    } catch (error) {
      unstable_rethrow(error);
      return "No response came, so the message may already be sent. Send it again: it is never posted twice.";
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (mentions.onKeyDown(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
    else if (event.key === "Escape") area.current?.blur();
    else return;
    event.preventDefault();
  }

  const choice = choices[kind];
  return (
    <form
      {...drop.handlers}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      aria-label="Write a message"
      data-composer
      className="border-line border-t p-3"
    >
      <LeaveGuard
        hasUnsaved={isUploading}
        title="Cancel the uploads?"
        question="Files are still uploading."
        keep="Keep uploading"
        discard="Cancel uploads"
      />
      {(refusal ?? drop.note) ? (
        <div className="mb-2">
          <Notice>{refusal ?? drop.note}</Notice>
        </div>
      ) : null}
      <div
        className={`relative rounded-xl border ${drop.isOver ? "border-accent border-dashed" : "border-line-strong"} focus-within:outline-2 focus-within:outline-accent ${kind === "note" ? "bg-warn-soft" : "bg-surface"}`}
      >
        <fieldset data-composer-tools className="flex gap-1 px-2 pt-2">
          <legend className="sr-only">Message type</legend>
          {kinds.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={kind === each}
              aria-keyshortcuts={choices[each].key}
              onClick={() => choose(each)}
              className="h-7 rounded-md px-2 text-muted text-xs hover:text-ink aria-pressed:bg-primary aria-pressed:font-medium aria-pressed:text-on-primary"
            >
              {choices[each].label}
            </button>
          ))}
        </fieldset>
        <MentionList mentions={mentions} />
        <textarea
          ref={area}
          {...mentions.textProps}
          dir="auto"
          value={text}
          onChange={(event) => {
            write(event.currentTarget.value);
            mentions.find();
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          aria-label={choice.label}
          aria-keyshortcuts="Control+Enter"
          placeholder={choice.placeholder}
          maxLength={longest}
          rows={2}
          className="field-sizing-content block max-h-[35dvh] min-h-16 w-full resize-none bg-transparent px-3 py-2 outline-none placeholder:text-muted max-md:text-base"
        />
        {uploads.length > 0 ? (
          <AttachmentTray uploads={uploads} again={again} remove={remove} />
        ) : null}
        <div
          data-composer-tools
          className="@container flex flex-wrap items-center justify-end gap-2 px-2 pb-2"
        >
          <div className="mr-auto flex min-w-0 items-center">
            <Button
              variant="quiet"
              size="icon"
              onClick={() => picker.current?.click()}
              aria-label="Attach files"
            >
              <Paperclip className="size-4" aria-hidden="true" />
            </Button>
            <input
              ref={picker}
              type="file"
              multiple
              hidden
              aria-label="Files to attach"
              onChange={(event) => {
                drop.clearNote();
                addFiles(Array.from(event.currentTarget.files ?? []));
                // So that the same file can be selected again.
                event.currentTarget.value = "";
              }}
            />
            <p className="min-w-0 px-1 text-muted text-xs">
              {hasFailed ? (
                "Remove the files that were not uploaded, or upload them again."
              ) : text.length > lengthToWarnAt ? (
                `${(longest - text.length).toLocaleString("en")} characters left`
              ) : (
                // Only where the buttons still fit next to it.
                <span className="@max-lg:hidden">
                  <SendHint />
                </span>
              )}
            </p>
          </div>
          <ShowApiCall
            isIcon
            call={() => ({
              operationId: "postMessage",
              ids: { conversationId },
              body: {
                text,
                ...(attachments.length > 0 && { attachments }),
                ...(kind !== "customer" && { author: { type: "USER" } }),
                ...(kind === "note" && { direction: "INTERNAL" }),
              },
            })}
          />
          {kind === "reply" && canResolve ? (
            <Button
              variant="secondary"
              size="small"
              disabled={isPending || !isReady}
              onClick={() => submit(true)}
            >
              Send and resolve
            </Button>
          ) : null}
          <Button type="submit" size="small" disabled={isPending || !isReady}>
            {isPending ? "Sending…" : choice.send}
          </Button>
        </div>
      </div>
      <p role="status" className="sr-only">
        {sent || uploadSummary(uploads.length, attachments.length)}
      </p>
    </form>
  );
}

const uploadSummary = (files: number, uploaded: number) =>
  files > 0 ? `${uploaded} of ${files} files uploaded.` : "";

function SendHint() {
  return (
    <span className="pointer-coarse:hidden">
      <kbd className="font-sans">Ctrl</kbd> + <kbd className="font-sans">Enter</kbd> sends
    </span>
  );
}
