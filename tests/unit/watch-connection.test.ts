import type pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchConnection } from "@/lib/platform/watch-connection";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const deadlineMs = 8_000;
const undo: (() => void)[] = [];
afterEach(() => {
  for (const end of undo.splice(0)) end();
});

/** A connection that never receives a byte. */
function connect(deadline: number, server?: "replica") {
  const state = { isDiscarded: false };
  const stream = {
    bytesRead: 0,
    destroy: () => {
      state.isDiscarded = true;
    },
  };
  const client = { connection: { stream }, readyForQuery: true };
  undo.push(watchConnection(client as unknown as pg.ClientBase, deadline, server));
  return {
    state,
    send: () => {
      client.readyForQuery = false;
    },
  };
}

test("a statement that began just before the silence was noticed does not wait for the whole deadline", () => {
  const heartbeat = connect(3_000);
  const pooled = connect(deadlineMs);
  heartbeat.send();
  vi.advanceTimersByTime(2_500);
  pooled.send();
  vi.advanceTimersByTime(750);
  expect([heartbeat.state.isDiscarded, pooled.state.isDiscarded]).toEqual([true, false]);
  vi.advanceTimersByTime(750);
  expect(pooled.state.isDiscarded).toBe(true);
});

test("a silent replica says nothing about connections to the primary", () => {
  const replica = connect(1_500, "replica");
  const [idle, busy] = [connect(deadlineMs), connect(deadlineMs)];
  replica.send();
  busy.send();
  vi.advanceTimersByTime(5_000);
  expect(replica.state.isDiscarded).toBe(true);
  expect([idle.state.isDiscarded, busy.state.isDiscarded]).toEqual([false, false]);
});
