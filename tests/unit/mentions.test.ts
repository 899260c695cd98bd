import { expect, test } from "vitest";
import { findMentions } from "@/lib/notifications/mentions";

const members = [
  { id: "ada", name: "Ada Lovelace" },
  { id: "grace", name: "Grace Hopper" },
  { id: "grace2", name: "Grace Kelly" },
  { id: "bob", name: "Bob" },
  { id: "bobby", name: "Bob Marley" },
  { id: "zoe", name: "Zoë" },
  { id: "eve", name: "Eve One", email: "eve.one@example.com" },
  { id: "eve2", name: "Eve One", email: "eve@example.com" },
];

test.each([
  ["@Ada Lovelace, please look", ["ada"]],
  ["thanks @ada!", ["ada"]],
  ["(@ADA LOVELACE)", ["ada"]],
  ["@Adam and @Ada_", []],
  ["@Grace is one of two", []],
  ["@Grace Kelly and @grace hopper", ["grace2", "grace"]],
  ["@Bob has a full name of one word", ["bob"]],
  ["@Bob Marley", ["bobby"]],
  ["@Zoe\u0308 and @zoë", ["zoe"]],
  ["ada@ada.example is an address", []],
  ["@ Ada", []],
  ["@Eve One", ["eve", "eve2"]],
  ["thanks @Eve@example.com.", ["eve2"]],
  ["me+eve@example.com", []],
  [`${"@".repeat(60)}Ada`, []],
])("%s mentions %j", (text, found) => {
  expect(findMentions(text, members)).toEqual(found);
});
