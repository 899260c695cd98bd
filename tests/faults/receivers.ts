import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pick } from "./random";

/** What happens to an attempt. `hang up` sends no response, `hang` none before the worker's deadline. */
const meetings = ["answer", "fail", "hang up", "hang"] as const;
type Meeting = (typeof meetings)[number];

/** The behavior of a receiver: the share of each outcome. The shares add up to one. */
export type Temper = Record<Meeting, number>;

export type CountingReceiver = Awaited<ReturnType<typeof startCountingReceiver>>;

/** What a receiver replies to an event, or null. Always the same for one event. */
export type Reply = (eventId: string) => string | null;

/**
 * Responds according to its behavior, and records how often each event arrived, and its body.
 */
export async function startCountingReceiver(
  temper: Temper,
  random: () => number,
  reply: Reply = () => null,
) {
  /**
   * By event id, in the order in which they first succeeded: the number of successful responses, and
   * the SHA-256 of the body.
   */
  const received = new Map<string, { count: number; digest: string }>();
  const receiver = {
    url: "",
    secret: "",
    received,
    requestCount: 0,
    violations: [] as string[],
    close,
  };

  const shares = meetings.map((meeting) => [temper[meeting], meeting] as const);

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    // A process killed while sending leaves half a body, which is ignored.
    request.on("error", () => {});
    request.on("end", () => {
      const body = Buffer.concat(parts);
      receiver.requestCount++;
      const { "x-service-event-id": eventId, "x-service-signature": signature } = request.headers;
      if (!isSigned(String(signature), body))
        receiver.violations.push(`event ${eventId} came with a wrong signature`);
      const meeting = pick(shares, random);
      if (meeting === "fail") return void response.writeHead(500).end();
      if (meeting === "hang up") return void response.destroy();
      if (meeting === "hang") return;
      note(String(eventId), createHash("sha256").update(body).digest("hex"));
      const text = reply(String(eventId));
      response.writeHead(200).end(text === null ? "ok" : JSON.stringify({ reply: { text } }));
    });
  });

  function isSigned(header: string, body: Buffer): boolean {
    const [, timestamp = "", digest] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? [];
    return (
      createHmac("sha256", receiver.secret).update(`${timestamp}.`).update(body).digest("hex") ===
      digest
    );
  }

  function note(eventId: string, digest: string): void {
    const known = received.get(eventId);
    if (known && known.digest !== digest)
      receiver.violations.push(`event ${eventId} came with other bytes the second time`);
    received.set(eventId, { count: (known?.count ?? 0) + 1, digest });
  }

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}
