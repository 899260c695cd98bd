import fc from "fast-check";
import { expect, test } from "vitest";
import { chunkText } from "@/lib/knowledge/documents/chunk-text";
import { growth } from "../support/growth";

const chunksOf = (text: string) => [...chunkText(text)];

test("a short text is one chunk", () => {
  expect(chunksOf("One sentence. Another one.")).toEqual(["One sentence. Another one."]);
  expect(chunksOf(" \n ")).toEqual([]);
});

test("chunks end where a sentence ends, and start with the last sentence of the previous one", () => {
  const sentences = Array.from({ length: 100 }, (_, index) => `This is sentence number ${index}.`);
  const chunks = chunksOf(sentences.join(" "));
  expect(chunks.length).toBeGreaterThan(2);
  for (const [index, chunk] of chunks.entries()) {
    expect(chunk.length).toBeLessThanOrEqual(1_000);
    expect(chunk).toMatch(/^This is sentence number \d+\..*\.$/s);
    const previous = chunks[index - 1];
    if (previous)
      expect(
        previous.endsWith(chunk.slice(0, chunk.indexOf(".") + 1).trim()) ||
          previous.includes(chunk.slice(0, 30)),
      ).toBe(true);
  }
});

test("a paragraph's end is preferred to a sentence's", () => {
  const text = `${"A sentence. ".repeat(55)}\n\n${"Another one. ".repeat(60)}`;
  expect(chunksOf(text)[0]).toBe("A sentence. ".repeat(55).trim());
});

test("for any text, no word is lost and no character is cut in two", () => {
  const long = Array.from({ length: 300 }, (_, index) => `${index}🦊`).join("");
  const word = fc.oneof(
    fc.string({ minLength: 1, maxLength: 30, unit: "grapheme" }),
    fc.constantFrom("。", "a.\n\n", long),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 100 }), (words) => {
      // Numbered, so that each place in the text is unique.
      const text = words.map((word, index) => `${index}:${word}`).join(" ");
      const chunks = chunksOf(text);
      let position = 0;
      for (const chunk of chunks) {
        expect(chunk.isWellFormed()).toBe(true);
        expect(chunk.length).toBeLessThanOrEqual(1_000);
        const found = text.indexOf(chunk, Math.max(0, position - 1_000));
        expect(found).toBeGreaterThanOrEqual(0);
        // Between two chunks there is at most blank space.
        expect(text.slice(position, Math.max(position, found)).trim()).toBe("");
        position = Math.max(position, found + chunk.length);
      }
      expect(text.slice(position).trim()).toBe("");
    }),
    { seed: 7, numRuns: 200 },
  );
});

test("text without any border is cut in linear time", () => {
  expect(chunksOf("x".repeat(20 * 1_024 ** 2)).length).toBeGreaterThan(20_000);
  expect(chunksOf("\n ".repeat(10 * 1_024 ** 2))).toEqual([]);
  expect(growth((size) => chunksOf("x".repeat(size)), 256 * 1_024)).toBeLessThan(24);
  expect(growth((size) => chunksOf("\n ".repeat(size)), 256 * 1_024)).toBeLessThan(24);
});
