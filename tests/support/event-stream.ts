import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { baseUrl, type TestTenant } from "./api";
import type { FeedEvent } from "./feed";

/** What arrives between two empty lines. */
type Block = { id?: string; event?: FeedEvent; data?: string; comment?: string };

export type TestStream = {
  status: number;
  headers: IncomingMessage["headers"];
  /** The next block, or null once the server has ended the stream. */
  block: () => Promise<Block | null>;
  /** The next event, or null once the server has ended the stream. */
  event: () => Promise<(FeedEvent & { data: FeedEvent["data"] }) | null>;
  /** The last id that was received: what to resume from. */
  lastId: () => string | undefined;
  /** Closes the connection. */
  close: () => void;
  outgoing: ClientRequest;
};

type Options = { headers?: Record<string, string>; url?: string };

/** Opens a stream, as `curl -N` would. `path` is the part after `/v1/public`. */
export async function openStream(
  { key }: Pick<TestTenant, "key">,
  method: "GET" | "HEAD",
  path: string,
  { headers = {}, url = baseUrl() }: Options = {},
): Promise<TestStream> {
  const outgoing = request(`${url}/v1/public${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    agent: false,
  });
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  outgoing.on("error", () => {});
  response.on("error", () => {});
  response.setEncoding("utf8");
  const parts = response[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = "";
  let lastId: string | undefined;

  async function block(): Promise<Block | null> {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const found = parse(text.slice(0, end));
        text = text.slice(end + 2);
        lastId = found.id ?? lastId;
        return found;
      }
      const part = await parts.next().catch(() => ({ done: true, value: "" }));
      if (part.done) return null;
      text += part.value;
    }
  }

  async function event() {
    for (let next = await block(); next; next = await block()) if (next.event) return next.event;
    return null;
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    block,
    event,
    lastId: () => lastId,
    close: () => outgoing.destroy(),
    outgoing,
  };
}

function parse(lines: string): Block {
  const block: Block = {};
  for (const line of lines.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*): ?(.*)$/.exec(line) ?? [];
    if (field === "id") block.id = value;
    if (field === "") block.comment = value;
    if (field === "data") Object.assign(block, { data: value, event: JSON.parse(value) });
  }
  return block;
}

/** The ids of the next events. */
export async function nextIds(stream: TestStream, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const event = await stream.event();
    if (!event) break;
    ids.push(event.id);
  }
  return ids;
}

/** Tries again while all slots are taken: a server learns of a closed connection a moment later. */
export async function openWhenFree(open: () => Promise<TestStream>): Promise<TestStream> {
  for (;;) {
    const stream = await open();
    if (stream.status !== 409) return stream;
    stream.close();
    await sleep(5);
  }
}
