import { once } from "node:events";
import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createDeflate } from "node:zlib";
import { expect, test } from "vitest";
import { extractText } from "@/lib/knowledge/documents/extract-text";
import { pdfOf, wordParts, wordXml, zipOf } from "../support/files";

const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const fileOf = (content: string | Uint8Array) =>
  Readable.from([Buffer.from(content as Uint8Array)]);

/** A PDF of one page, whose content is so many MiB of blanks. */
async function swellingPdf(megabytes: number): Promise<Buffer> {
  const blanks = Readable.from(
    Array.from({ length: megabytes }, () => Buffer.alloc(1_024 ** 2, " ")),
  );
  const packed = await buffer(blanks.pipe(createDeflate({ level: 1 })));
  const pdf = pdfOf(["x"]).toString("latin1");
  const [start, end] = [pdf.indexOf("5 0 obj\n") + 8, pdf.indexOf("xref")];
  const content = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString("latin1")}\nendstream\nendobj\n`;
  return Buffer.from(pdf.slice(0, start) + content + pdf.slice(end), "latin1");
}

test("a file that expands too much ends with its process, as too_large", async () => {
  const pdf = await swellingPdf(300);
  const before = process.memoryUsage().rss;
  expect(pdf.length).toBeLessThan(2 * 1_024 ** 2);
  await expect(
    extractText(fileOf(pdf), "application/pdf", { limits: { memoryMegabytes: 200 } }),
  ).rejects.toMatchObject({
    code: "too_large",
  });
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_024 ** 2);
});

test("a file that takes too long ends as timeout", async () => {
  await expect(
    extractText(fileOf("text"), "text/plain", { limits: { timeMs: 1 } }),
  ).rejects.toMatchObject({ code: "timeout" });
});

test("a download that breaks off is an error of the download, not a shorter file", async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": 1_000 }).write("The first half", () => {
      response.destroy();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: "127.0.0.1" }), "response")) as [Readable];
  await expect(extractText(response, "text/plain")).rejects.toMatchObject({ code: "ECONNRESET" });
  server.close();

  for (const code of ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE"]) {
    const broken = new Readable({ read: () => {} });
    broken.push("The first half");
    setImmediate(() => broken.destroy(Object.assign(new Error("broken off"), { code })));
    await expect(extractText(broken, "text/plain")).rejects.toThrow("broken off");
  }
});

test("the time limit does not include the download", async () => {
  const slow = new Readable({ read: () => {} });
  const extracting = extractText(slow, "text/plain", { limits: { timeMs: 1 } });
  setTimeout(() => slow.destroy(new Error("the store is down")), 200);
  await expect(extracting).rejects.toThrow("the store is down");
});

test("a file whose worker stops is given up immediately", async () => {
  const stopping = new AbortController();
  const extracting = extractText(new Readable({ read: () => {} }), "text/plain", {
    signal: stopping.signal,
  });
  stopping.abort(new Error("the worker stops"));
  await expect(extracting).rejects.toThrow("the worker stops");
});

test.each([
  [
    "control characters are removed, except line ends and tabs",
    "a\u0000\u0001b\r\nc\td\u0085\uFEFF",
    "text/plain",
    "ab\nc\td\u0085",
  ],
  ["no byte order mark", "\uFEFFtext", "text/plain", "text"],
  [
    "HTML becomes its visible text, with a line for each block",
    "<title>T</title><script>no()</script><h1>One &amp; two</h1>\n<p>A <b>b</b><br>c</p><!-- no -->",
    "text/html",
    "T\n\nOne & two\n\nA b\nc",
  ],
  ["of JSON the unchanged text", ' {"a": 1} ', "application/json", '{"a": 1}'],
] as const)("%s", async (_what, content, type, text) => {
  expect(await extractText(fileOf(content), type)).toBe(text);
});

test("a PDF becomes all of its pages, a Word document all of its paragraphs", async () => {
  expect(await extractText(fileOf(pdfOf(["One", "Two"])), "application/pdf")).toBe("One\n\nTwo");
  const word = zipOf({ ...wordParts, "word/document.xml": wordXml("One", "Two &amp; three") });
  expect(await extractText(fileOf(word), docx)).toBe("One\n\nTwo & three");
});
