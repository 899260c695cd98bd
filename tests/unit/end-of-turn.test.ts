import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { endOfTurn } from "@/lib/platform/end-of-turn";

test("what waits in a turn continues in its order, after everything else of the turn", async () => {
  const order: string[] = [];
  const waiting = ["first", "second"].map((name) => endOfTurn().then(() => order.push(name)));
  process.nextTick(() => order.push("tick"));
  await Promise.resolve().then(() => order.push("microtask"));
  await Promise.all(waiting);
  expect(order).toEqual(["microtask", "tick", "first", "second"]);
});

test("what waits at the end of a turn continues in the same turn", async () => {
  const order: string[] = [];
  const waiting = endOfTurn().then(() => endOfTurn().then(() => order.push("again")));
  const next = nextTurn().then(() => order.push("next turn"));
  await Promise.all([waiting, next]);
  expect(order).toEqual(["again", "next turn"]);
});

test("what waits later waits for the end of its own turn", async () => {
  await endOfTurn();
  await nextTurn();
  let hasEnded = false;
  const waiting = endOfTurn().then(() => {
    hasEnded = true;
  });
  await Promise.resolve();
  expect(hasEnded).toBe(false);
  await waiting;
});
