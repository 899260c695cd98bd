import fc from "fast-check";
import { expect, test } from "vitest";
import { readMarked, toHtml } from "@/lib/knowledge/documents/excerpt";
import { byteSize, decimalSize } from "@/lib/platform/byte-size";
import { excerptPieces, fromFirstHit } from "@/lib/platform/excerpt";

test("text marked by PostgreSQL becomes plain text with the positions of the matches", () => {
  const excerpt = readMarked("We refund <b>all</b> 😀: \u0001Tom's\u0002 & \u0001yours\u0002.");
  expect(excerpt).toEqual({
    text: "We refund <b>all</b> 😀: Tom's & yours.",
    ranges: [
      [25, 30],
      [33, 38],
    ],
  });
  expect(excerptPieces(excerpt)).toEqual([
    { text: "We refund <b>all</b> 😀: ", isHit: false },
    { text: "Tom's", isHit: true },
    { text: " & ", isHit: false },
    { text: "yours", isHit: true },
    { text: ".", isHit: false },
  ]);
  expect(toHtml(excerpt)).toBe(
    "We refund &lt;b&gt;all&lt;/b&gt; 😀: <mark>Tom&#39;s</mark> &amp; <mark>yours</mark>.",
  );
  expect(excerptPieces(readMarked(""))).toEqual([]);
});

test("an excerpt for a narrow place starts shortly before its first hit", () => {
  const of = (text: string, ...hits: string[]) => ({
    text,
    ranges: hits.map((hit) => [text.indexOf(hit), text.indexOf(hit) + hit.length]),
  });
  for (const [full, cut] of [
    [of("Refund, please", "Refund"), of("Refund, please", "Refund")],
    [of("I want a refund", "refund"), of("I want a refund", "refund")],
    [
      of("Hello, it is about order 4411 and a refund.", "4411", "refund"),
      of("… order 4411 and a refund.", "4411", "refund"),
    ],
    [of("😀😀😀😀😀😀😀refund", "refund"), of("… refund", "refund")],
    [of("nothing", ""), of("nothing", "")],
  ] as const)
    expect(fromFirstHit(full)).toEqual(cut);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ minLength: 1 }), (before, hit) => {
      const text = `${before}${hit}!`;
      const [first] = fromFirstHit({ text, ranges: [[before.length, text.length - 1]] }).ranges;
      const cut = fromFirstHit({ text, ranges: [[before.length, text.length - 1]] }).text;
      return cut.slice(first?.[0], first?.[1]) === hit && (first?.[0] ?? 99) <= 14;
    }),
  );
});

test("the content of a document is unchanged in the text, and never markup in the HTML", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("<mark>", "</mark>", "&lt;", "&amp;lt;", "<script>alert(1)</script>", "a\nb"),
  );
  const unmarked = text.filter((value) => !value.includes("\u0001") && !value.includes("\u0002"));
  fc.assert(
    fc.property(unmarked, unmarked, unmarked, (before, hit, after) => {
      const excerpt = readMarked(`${before}\u0001${hit}\u0002${after}`);
      const [range] = excerpt.ranges;
      return (
        excerpt.text === before + hit + after &&
        (hit === "" ? range === undefined : excerpt.text.slice(...(range ?? [])) === hit) &&
        !/<(?!\/?mark>)/.test(toHtml(excerpt))
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

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_500, "1.5 kB"],
  [800_000_000, "800 MB"],
  [100_000_000_000, "100 GB"],
  [3 * 1_000 ** 5, "3,000 TB"],
])("%i bytes are %s in the units of the plans", (bytes, text) => {
  expect(decimalSize(bytes)).toBe(text);
});
