import type { IncomingMessage } from "node:http";
import type { ApiRequest } from "@/lib/api/read-request";

// Creating a `Request` costs more than most of what handling the request costs. Nearly all requests
// are plain: the path needs no normalizing, and the body is short, of known length and not an
// upload. Those are passed on without a `Request`. For all others, the bridge creates one.

/** No more than what Node reads from a connection before a handler reads the body. */
const maximumPlainBytes = 16 * 1_024;

const plainMethod = /^(?:GET|HEAD|POST|PUT|PATCH|DELETE)$/;
const plainHost = /^[a-z0-9._-]+(?::[1-9]\d{0,4})?$/;
/** Characters that stay as they are in a URL. */
const plainTarget = /^\/[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*$/;
const dotSegment = /\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** @returns null for a request that is not plain */
export function toPlainRequest(incoming: IncomingMessage): ApiRequest | null {
  const { method = "", url = "", headers } = incoming;
  const length = Number(headers["content-length"] ?? 0);
  const isPlain =
    plainMethod.test(method) &&
    plainHost.test(headers.host ?? "") &&
    plainTarget.test(url) &&
    !dotSegment.test(url) &&
    headers["transfer-encoding"] === undefined &&
    headers.expect === undefined &&
    !/^multipart\//i.test(headers["content-type"] ?? "") &&
    length <= maximumPlainBytes;
  return isPlain ? new PlainRequest(incoming, length > 0) : null;
}

class PlainRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: ApiRequest["headers"];
  /** Only a body of unknown length is read as a stream. */
  readonly body = null;
  readonly #bytes: Promise<Uint8Array> | null;

  constructor(incoming: IncomingMessage, hasBody: boolean) {
    this.method = incoming.method ?? "";
    this.url = `http://localhost${incoming.url}`;
    this.headers = new PlainHeaders(incoming.rawHeaders);
    this.#bytes = hasBody ? readBytes(incoming) : null;
  }

  async arrayBuffer(): Promise<Uint8Array> {
    return (await this.#bytes) ?? new Uint8Array();
  }
}

class PlainHeaders {
  readonly #rawHeaders: string[];

  constructor(rawHeaders: string[]) {
    this.#rawHeaders = rawHeaders;
  }

  /** @param name in lower case. Repeated headers are joined, as `Headers` does. */
  get(name: string): string | null {
    const raw = this.#rawHeaders;
    let value: string | null = null;
    for (let index = 0; index < raw.length; index += 2) {
      const header = raw[index] as string;
      if (header.length !== name.length || header.toLowerCase() !== name) continue;
      value = value === null ? (raw[index + 1] as string) : `${value}, ${raw[index + 1]}`;
    }
    return value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }
}

/**
 * Starts to read immediately, because a body that has arrived is lost if its client disconnects
 * before it is read.
 */
function readBytes(incoming: IncomingMessage): Promise<Uint8Array> {
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () =>
      resolve(parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)),
    );
    incoming.on("error", reject);
    incoming.on("close", () => {
      // Creating an error that nobody sees would be a tenth of a small request's cost.
      if (!incoming.readableEnded) reject(new Error("the client has disconnected"));
    });
  });
  // A request that is refused does not read its body.
  bytes.catch(() => {});
  return bytes;
}
