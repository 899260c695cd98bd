import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector receives it. */
export type ReceivedSpan = {
  process: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  attributes: Record<string, string | number>;
  /** The message of a failed span. */
  failure: string | undefined;
};

/** Receives OTLP over HTTP in protobuf, and decodes the few fields that the tests compare. */
export async function startTraceCollector() {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const received = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(received) : received;
    bodies.push(body);
    if (request.url === "/v1/traces") spans.push(...spansIn(body));
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bytes: () => Buffer.concat(bodies),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>;

type Field = { number: number; bytes: Buffer; value: bigint };

/** The fields of a protobuf message, whose format names each by a number. */
function fieldsIn(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++] ?? 0;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    const kind = key & 7;
    const value = kind === 0 ? varint() : 0n;
    const length = kind === 2 ? Number(varint()) : kind === 1 ? 8 : kind === 5 ? 4 : 0;
    fields.push({ number: key >> 3, bytes: message.subarray(at, at + length), value });
    at += length;
  }
  return fields;
}

const each = (message: Buffer, number: number) =>
  fieldsIn(message)
    .filter((field) => field.number === number)
    .map(({ bytes }) => bytes);
const first = (message: Buffer, number: number) => each(message, number)[0] ?? Buffer.alloc(0);

const stringValue = 1;
const integerValue = 3;

function attributesIn(message: Buffer, number: number): Record<string, string | number> {
  const pairs = each(message, number).map((pair) => {
    const [content] = fieldsIn(first(pair, 2));
    const isText = content?.number === stringValue;
    const value = isText ? content.bytes.toString() : Number(content?.value ?? 0n);
    return [first(pair, 1).toString(), content?.number === integerValue || isText ? value : ""];
  });
  return Object.fromEntries(pairs);
}

function spansIn(request: Buffer): ReceivedSpan[] {
  return each(request, 1).flatMap((resourceSpans) => {
    const process = String(attributesIn(first(resourceSpans, 1), 1)["parlance.process"]);
    const spans = each(resourceSpans, 2).flatMap((scopeSpans) => each(scopeSpans, 2));
    return spans.map((span) => ({
      process,
      traceId: first(span, 1).toString("hex"),
      spanId: first(span, 2).toString("hex"),
      parentSpanId: first(span, 4).toString("hex"),
      name: first(span, 5).toString(),
      attributes: attributesIn(span, 9),
      failure: each(span, 15).map((status) => first(status, 2).toString())[0] || undefined,
    }));
  });
}
