import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ComparedPart,
  compareContents,
  compareLines,
  type Piece,
} from "@/lib/agents/compare-contents";
import type { AgentContent } from "@/lib/agents/schema";
import { growth } from "../support/growth";

const empty: AgentContent = {
  name: "Support",
  description: null,
  model: null,
  instructions: null,
  greeting: null,
  temperature: null,
  knowledgeBaseIds: [],
  metadata: {},
};

const compare = (before: Partial<AgentContent> | null, after: Partial<AgentContent>) =>
  compareContents(before && { ...empty, ...before }, { ...empty, ...after }, (id) => `base ${id}`);

/** As text: a sign for each line, and brackets around the words that changed. */
const read = (parts: ComparedPart[]) =>
  parts.map((part) => {
    if (part.kind === "omitted") return `… ${part.count}`;
    const mark = { same: " ", removed: "-", added: "+" }[part.kind];
    return `${mark}${part.pieces.map(({ kind, text }) => (kind === part.kind ? text : `[${text}]`)).join("")}`;
  });

const fieldsOf = (before: Partial<AgentContent> | null, after: Partial<AgentContent>) =>
  compare(before, after).map(({ field, parts }) => [field, ...read(parts)]);

describe("fields", () => {
  test("unchanged fields are not listed", () => {
    expect(
      compare({ instructions: "a", metadata: { a: 1 } }, { instructions: "a", metadata: { a: 1 } }),
    ).toEqual([]);
  });

  test("each change is listed with before and after, in the order in which an agent is shown", () => {
    const before = {
      name: "Support",
      model: "small-1",
      temperature: 1,
      knowledgeBaseIds: ["a", "b"],
      metadata: { plan: "gold", team: 1 },
    };
    const after = {
      name: "Sales",
      model: null,
      temperature: 0.5,
      knowledgeBaseIds: ["b", "c"],
      metadata: { team: 2, plan: "gold" },
    };
    expect(fieldsOf(before, after)).toEqual([
      ["name", "-Support", "+Sales"],
      ["model", "-small-1"],
      ["temperature", "-1", "+0.5"],
      ["knowledgeBaseIds", "-base a", " base b", "+base c"],
      ["metadata", ' plan: "gold"', "-[team: ]1", "+[team: ]2"],
    ]);
  });

  test("everything is listed for an agent that was never published", () => {
    expect(fieldsOf(null, { greeting: "Hello!" })).toEqual([
      ["name", "+Support"],
      ["greeting", "+Hello!"],
    ]);
  });

  test("an empty text is not the same as none", () => {
    expect(fieldsOf({ greeting: null }, { greeting: "" })).toEqual([["greeting", "+"]]);
  });
});

describe("lines", () => {
  test("changed words are marked in a similar line", () => {
    const parts = compareLines(
      ["Be kind.", "Answer in three sentences."],
      ["Be kind.", "Answer in two short sentences."],
    );
    expect(read(parts)).toEqual([
      " Be kind.",
      "-[Answer in ]three[ sentences.]",
      "+[Answer in ]two short [sentences.]",
    ]);
  });

  test("they are not in a line that was replaced", () => {
    expect(
      read(compareLines(["Be kind to everybody."], ["Never mention prices, whatever is asked."])),
    ).toEqual(["-Be kind to everybody.", "+Never mention prices, whatever is asked."]);
  });

  test("lines far from any change are left out", () => {
    const before = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const after = before.with(50, "changed entirely");
    expect(read(compareLines(before, after))).toEqual([
      "… 47",
      ...[
        " line 47",
        " line 48",
        " line 49",
        "-line 50",
        "+changed entirely",
        " line 51",
        " line 52",
        " line 53",
      ],
      "… 46",
    ]);
  });

  test("a rewritten text is compared in linear time, and the comparison is cut", () => {
    const rewritten = (length: number) => {
      const before = Array.from({ length }, (_, index) => `${index}`);
      return compareLines(
        before,
        before.map((line) => `x${line}`),
      );
    };
    expect(growth(rewritten, 2_000)).toBeLessThan(24);
    const parts = rewritten(16_000);
    expect(parts).toHaveLength(1_001);
    expect(parts.at(-1)).toEqual({ kind: "omitted", count: 31_000 });
  });

  test("for any two texts, both can be reconstructed from their comparison", () => {
    const line = fc.constantFrom(
      "",
      "a",
      "a b",
      "a b c d",
      "b c d e",
      "Be kind.",
      "Be kind, and brief.",
    );
    const texts = fc.array(line, { maxLength: 6 });
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const parts = compareLines(before, after);
        fc.pre(parts.every(({ kind }) => kind !== "omitted"));
        const lines = parts.flatMap((part) => (part.kind === "omitted" ? [] : [part]));
        const side = (other: Piece["kind"]) =>
          lines
            .filter(({ kind }) => kind !== other)
            .map(({ pieces }) => pieces.map(({ text }) => text).join(""));
        if (lines.length === 0) return isDeepStrictEqual(before, after);
        return isDeepStrictEqual([side("added"), side("removed")], [before, after]);
      }),
    );
  });
});
