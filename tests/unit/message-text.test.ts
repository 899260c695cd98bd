import { describe, expect, test } from "vitest";
import type { Message } from "@/lib/conversations/message-schema";
import { requireCuttable } from "@/lib/conversations/message-text";

/** Writes a message with its fields in another order. */
const inOrder = (fields: (keyof Message)[]) => (message: Message) =>
  JSON.stringify(Object.fromEntries(fields.map((field) => [field, message[field]])));

const fields: (keyof Message)[] = [
  "id",
  "environment",
  "conversationId",
  "sequence",
  "direction",
  "author",
  "text",
  "externalId",
  "metadata",
  "createdAt",
];

const moved = (field: keyof Message, before: keyof Message) => {
  const others = fields.filter((other) => other !== field);
  others.splice(others.indexOf(before), 0, field);
  return others;
};

describe("the text of a posted message", () => {
  test("can be cut with the fields in today's order, and with others moved among themselves", () => {
    requireCuttable(inOrder(fields));
    requireCuttable(inOrder(moved("externalId", "text")));
    requireCuttable(inOrder(moved("conversationId", "id")));
  });

  test.each([
    ["metadata before the sequence", moved("metadata", "sequence")],
    ["metadata after the time", [...fields.filter((field) => field !== "metadata"), "metadata"]],
    ["the author before the sequence", moved("author", "sequence")],
    ["the time before the author", moved("createdAt", "author")],
    ["no sequence", fields.filter((field) => field !== "sequence")],
  ] as [string, (keyof Message)[]][])("cannot be cut with %s, which is refused", (_name, order) => {
    expect(() => requireCuttable(inOrder(order))).toThrow();
  });

  test("cannot be cut if the author's name comes before the id", () => {
    expect(() =>
      requireCuttable(({ author: { type, id, name }, ...message }) =>
        JSON.stringify({
          id: message.id,
          sequence: message.sequence,
          author: { type, name, id },
          text: message.text,
          metadata: message.metadata,
          createdAt: message.createdAt,
        }),
      ),
    ).toThrow();
  });
});
