import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

type Credentials = { accessKeyId: string; secretAccessKey: string };

const sha256 = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");
const hmac = (key: string | Buffer, text: string) =>
  createHmac("sha256", key).update(text).digest();

/**
 * As Amazon writes it: everything but letters, digits and -._~ as %XX, in a path the slash as well.
 */
const encode = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The object storage part of S3, in memory. It makes the checks of a real store: the signature
 * (version 4) over method, path, query and headers, its time, and that the body is the one that was
 * signed.
 */
export async function startS3Server(bucket: string, { accessKeyId, secretAccessKey }: Credentials) {
  const objects = new Map<string, Buffer>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const refuse = (status: number, code: string) =>
      void response
        .writeHead(status, { "content-type": "application/xml" })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    const problem = findProblem(request, body);
    if (problem) return refuse(problem === "XAmzContentSHA256Mismatch" ? 400 : 403, problem);
    const [, name, key] = /^\/([^/?]+)\/([^?]+)/.exec(request.url ?? "") ?? [];
    if (name !== bucket || !key) return refuse(404, "NoSuchBucket");
    const object = objects.get(key);
    if (request.method === "PUT") {
      objects.set(key, body);
      response.writeHead(200, { etag: `"${createHash("md5").update(body).digest("hex")}"` }).end();
    } else if (request.method === "DELETE") {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (request.method !== "GET") refuse(405, "MethodNotAllowed");
    else if (!object) refuse(404, "NoSuchKey");
    else response.writeHead(200, { "content-length": object.length }).end(object);
  }

  function findProblem(
    { method = "", url = "", headers }: IncomingMessage,
    body: Buffer,
  ): string | null {
    const header = (name: string) => String(headers[name] ?? "");
    const match =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
    const [, keyId, day = "", region = "", signedHeaders = "", signature] =
      match.exec(header("authorization")) ?? [];
    if (keyId !== accessKeyId) return "InvalidAccessKeyId";
    const time = header("x-amz-date");
    const sentAt = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
    if (!(Math.abs(Date.now() - sentAt) < 900_000) || !time.startsWith(day))
      return "RequestTimeTooSkewed";
    const names = signedHeaders.split(";");
    for (const name of Object.keys(headers)) {
      if ((name === "host" || name.startsWith("x-amz-")) && !names.includes(name))
        return "SignatureDoesNotMatch";
    }

    const { pathname, searchParams } = new URL(url, "http://localhost");
    const query = [...searchParams]
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort();
    const lines = names.map((name) => `${name}:${header(name).trim().replace(/ +/g, " ")}\n`);
    const payload = header("x-amz-content-sha256");
    const canonical = [
      method,
      pathname,
      query.join("&"),
      lines.join(""),
      signedHeaders,
      payload,
    ].join("\n");
    const scope = `${day}/${region}/s3/aws4_request`;
    const key = ["s3", "aws4_request"].reduce(
      hmac,
      hmac(hmac(`AWS4${secretAccessKey}`, day), region),
    );
    const expected = hmac(
      key,
      `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`,
    ).toString("hex");
    if (signature !== expected) return "SignatureDoesNotMatch";
    return payload === sha256(body) ? null : "XAmzContentSHA256Mismatch";
  }

  const server = createServer((request, response) => void respond(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, objects, close };
}
