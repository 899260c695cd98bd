import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import * as sdk from "@/sdk/src/index";
import { startReceiver } from "../support/receiver";

// Every client of the API must pass these cases. The Python client reads the same file.

type Scripted = {
  status?: number;
  kind?: string;
  members?: object;
  headers?: Record<string, string>;
  text?: string;
  /** Sent instead of an HTTP response. Then the connection is closed, unless it hangs or drips. */
  raw?: string;
  hangs?: boolean;
  drips?: boolean;
};

type Case = {
  title: string;
  /** One after the other, the last one forever. A response is a resource unless it says otherwise. */
  responses: Scripted[];
  /** The call is a change. */
  creates?: boolean;
  timeoutMs?: number;
  attempts: number;
  /** The least and the most seconds of each wait. */
  waits?: [number, number][];
  error?: { class: string } & Record<string, unknown>;
};

const cases: Case[] = JSON.parse(
  readFileSync(new URL("./hostile-cases.json", import.meta.url), "utf8"),
);
const customer = { id: "cus_1", name: "Ada" };
const dripMs = 20;

function bodyOf({ status, kind, members, text }: Scripted): string {
  if (text !== undefined) return text;
  if (!kind) return JSON.stringify(customer);
  const type = `https://docs.example/errors/${kind}`;
  return JSON.stringify({ type, title: "A title", status, detail: "A detail.", ...members });
}

function sendRaw(socket: Socket, { raw = "", hangs, drips }: Scripted): void {
  socket.write(raw);
  if (drips) {
    const timer = setInterval(() => socket.write(" "), dripMs);
    socket.once("close", () => clearInterval(timer));
  } else if (!hangs) socket.end();
}

test.each(cases)("$title", async ({ responses, creates, timeoutMs, attempts, waits, error }) => {
  const left = [...responses];
  const receiver = await startReceiver((response) => {
    const next = (left.length > 1 ? left.shift() : left[0]) ?? {};
    if (next.raw !== undefined || next.hangs) return sendRaw(response.socket as Socket, next);
    const headers = { "Content-Type": "application/json", "X-Request-Id": "req_1" };
    response.writeHead(next.status ?? 200, { ...headers, ...next.headers }).end(bodyOf(next));
  });
  const waited: number[] = [];
  const client = new sdk.Parlance("prl_test_abc", {
    baseUrl: receiver.url,
    ...(timeoutMs && { timeout: timeoutMs }),
    wait: async (milliseconds) => void waited.push(milliseconds / 1_000),
  });
  const call = creates ? client.customers.create({ name: "Ada" }) : client.customers.get("cus_1");
  const outcome = await call.catch((thrown) => thrown);
  await receiver.close();

  if (error) {
    const { class: name, ...members } = error;
    expect(outcome).toMatchObject({ name, ...members });
  } else expect(outcome).toEqual(customer);
  expect(waited).toHaveLength(attempts - 1);
  // A timeout may end an attempt before its request has arrived.
  if (!timeoutMs) expect(receiver.requests).toHaveLength(attempts);
  const sent = receiver.requests.map(({ headers, body }) => [headers["idempotency-key"], body]);
  for (const attempt of sent) expect(attempt).toEqual(sent[0]);
  expect(Boolean(sent[0]?.[0])).toBe(Boolean(creates));
  if (waits) expect(waited).toHaveLength(waits.length);
  waits?.forEach(([least, most], index) => {
    expect(waited[index]).toBeGreaterThanOrEqual(least);
    expect(waited[index]).toBeLessThanOrEqual(most);
  });
});
