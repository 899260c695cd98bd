import fc from "fast-check";
import { expect, test } from "vitest";
import { byteSize } from "@/lib/byte-size";
import { excerptPieces } from "@/lib/documents/excerpt";

test("an excerpt is read back as plain text, in which hits are marked", () => {
  expect(excerptPieces("We refund &lt;b&gt;all&lt;/b&gt; of it: <mark>Tom&#39;s</mark> &amp; <mark>yours</mark>.")).toEqual([
    { text: "We refund <b>all</b> of it: ", isHit: false },
    { text: "Tom's", isHit: true },
    { text: " & ", isHit: false },
    { text: "yours", isHit: true },
    { text: ".", isHit: false },
  ]);
  expect(excerptPieces("")).toEqual([]);
});

test("what a document says is never taken for markup, nor for an escape", () => {
  const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
  const text = fc.oneof(fc.string(), fc.constantFrom("<mark>", "</mark>", "&lt;", "&amp;lt;", "<script>alert(1)</script>", "a\nb"));
  fc.assert(
    fc.property(text, text, text, (before, hit, after) => {
      const pieces = excerptPieces(`${escaped(before)}<mark>${escaped(hit)}</mark>${escaped(after)}`);
      return (
        pieces.map((piece) => piece.text).join("") === before + hit + after && pieces.every((piece) => !piece.isHit || piece.text === hit)
      );
    }),
  );
});

test.each([
  [0, "0 B"],
  [1, "1 B"],
  [1_023, "1,023 B"],
  [1_024, "1 KiB"],
  [1_500, "1.5 KiB"],
  [20 * 1_024 ** 2, "20 MiB"],
  [1_024 ** 2 - 1, "1,024 KiB"],
  [3 * 1_024 ** 5, "3,072 TiB"],
])("%i bytes are %s", (bytes, text) => {
  expect(byteSize(bytes)).toBe(text);
});
