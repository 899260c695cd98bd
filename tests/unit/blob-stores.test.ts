import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readlink, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BlobStore } from "@/lib/platform/blobs/blob-store";
import { diskBlobStore } from "@/lib/platform/blobs/disk-blob-store";
import { type IncomingFile, receiveFile } from "@/lib/platform/blobs/incoming-file";
import { s3BlobStore } from "@/lib/platform/blobs/s3-blob-store";
import { env } from "@/lib/platform/env";
import { startS3Server } from "../support/s3-server";

const bucket = "documents";
const region = "eu-central-1";
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const s3 = await startS3Server(bucket, credentials);
const directory = await mkdtemp(path.join(tmpdir(), "parlance-store-"));
afterAll(async () => {
  await s3.close();
  await rm(directory, { recursive: true });
});

const receive = (content: string | Buffer) =>
  receiveFile(Readable.from([Buffer.from(content)]), 32 * 1_024 ** 2);
const read = async (store: BlobStore, key: string) => {
  const file = await store.get(key);
  return file && (await buffer(file));
};

const stores: [string, BlobStore][] = [
  ["the disk", diskBlobStore(directory)],
  ["S3", s3BlobStore({ bucket, region, endpoint: s3.url, credentials })],
];
// Any other S3-compatible store, where one is at hand: BLOB_TEST_S3_URL=https://<key
// id>:<secret>@<host>/<bucket>
const { BLOB_TEST_S3_URL } = process.env;
if (BLOB_TEST_S3_URL) {
  const { origin, pathname, username, password } = new URL(BLOB_TEST_S3_URL);
  const given = {
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  };
  stores.push([
    "the given S3",
    s3BlobStore({
      bucket: pathname.slice(1),
      region: "us-east-1",
      endpoint: origin,
      credentials: given,
    }),
  ]);
}

describe.each(stores)("%s", (_name, store) => {
  test("returns what was stored, byte for byte, from nothing to 20 MiB", async () => {
    for (const size of [0, 1, 70_000, 20 * 1_024 ** 2]) {
      const content = randomBytes(size);
      const key = `ten_1/test/size-${size}`;
      const incoming = await receive(content);
      await store.put(key, incoming);
      expect((await read(store, key))?.equals(content)).toBe(true);
      await incoming.discard();
      expect((await read(store, key))?.equals(content)).toBe(true);
    }
  });

  test("keeps keys separate", async () => {
    const [a, b] = [await receive("a"), await receive("b")];
    await store.put("ten_1/test/same", a);
    await store.put("ten_2/test/same", b);
    expect(String(await read(store, "ten_1/test/same"))).toBe("a");
    expect(String(await read(store, "ten_2/test/same"))).toBe("b");
    await Promise.all([a.discard(), b.discard()]);
  });

  test("a removed blob is null, like one that never existed; removing it again is not an error", async () => {
    const key = "ten_1/live/removed";
    const incoming = await receive("a");
    await store.put(key, incoming);
    await store.remove(key);
    expect(await store.get(key)).toBeNull();
    expect(await store.get("ten_1/live/never")).toBeNull();
    await store.remove(key);
    await incoming.discard();
  });
});

test("the disk refuses keys that lead outside its directory", async () => {
  const store = diskBlobStore(directory);
  const incoming = await receive("a");
  for (const key of ["../out", "a/../../out", "/etc/passwd", "a//b", ""])
    await expect(store.put(key, incoming)).rejects.toThrow("key");
  await incoming.discard();
});

test("S3 refuses another secret and a damaged body, and stores nothing", async () => {
  const wrong = s3BlobStore({
    bucket,
    region,
    endpoint: s3.url,
    credentials: { ...credentials, secretAccessKey: "another" },
  });
  const incoming = await receive("a");
  await expect(wrong.put("ten_1/test/wrong", incoming)).rejects.toMatchObject({
    name: "SignatureDoesNotMatch",
  });

  const right = s3BlobStore({ bucket, region, endpoint: s3.url, credentials });
  await writeFile(incoming.path, "b");
  await expect(right.put("ten_1/test/damaged", incoming)).rejects.toMatchObject({
    name: "XAmzContentSHA256Mismatch",
  });
  expect([...s3.objects.keys()].filter((key) => /wrong|damaged/.test(key))).toEqual([]);
  await incoming.discard();
});

test.runIf(process.platform === "linux")(
  "S3 leaves the file closed, whether the store refuses it, is unavailable or hangs up",
  async () => {
    const refusing = createHttpServer((request, response) => {
      if (request.url?.includes("hangs-up")) return void request.socket.destroy();
      // Before the body was read.
      response.writeHead(request.url?.includes("unavailable") ? 503 : 403).end();
    });
    refusing.listen(0, "127.0.0.1");
    await once(refusing, "listening");
    const { port } = refusing.address() as AddressInfo;
    const store = s3BlobStore({
      bucket,
      region,
      endpoint: `http://127.0.0.1:${port}`,
      credentials,
    });
    const incoming = await receive(randomBytes(4 * 1_024 ** 2));
    const openFiles = async () => {
      const descriptors = await readdir("/proc/self/fd");
      const targets = await Promise.all(
        descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")),
      );
      return targets.filter((target) => target === incoming.path).length;
    };

    for (const key of ["refused", "unavailable", "hangs-up"]) {
      await expect(store.put(`ten_1/test/${key}`, incoming)).rejects.toThrow();
      await expect.poll(openFiles).toBe(0);
    }
    await incoming.discard();
    refusing.closeAllConnections();
    refusing.close();
  },
);

describe("a store that accepts connections and stays silent", () => {
  const connections = new Set<Socket>();
  let response = "";
  const server = createServer((socket) => {
    connections.add(socket.on("error", () => {}));
    socket.once("data", () => socket.write(response));
  });
  beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
  const storeOf = (silenceMs: number) => {
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return s3BlobStore({ bucket, region, endpoint, credentials, silenceMs });
  };
  afterAll(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });

  test("ends every kind of request", async () => {
    const incoming = await receive("a");
    const store = storeOf(50);
    const ended = { name: "TimeoutError" };
    await expect(store.get("ten_1/test/a")).rejects.toMatchObject(ended);
    await expect(store.remove("ten_1/test/a")).rejects.toMatchObject(ended);
    await expect(store.put("ten_1/test/a", incoming)).rejects.toMatchObject(ended);
    await incoming.discard();
  });

  test("ends a download that stalls in the middle", async () => {
    response = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nThe first half";
    await expect(read(storeOf(50), "ten_1/test/a")).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("a signal ends a request before that, with or without a response", async () => {
    for (response of ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nThe first half"]) {
      const stopping = new AbortController();
      server.once("connection", (socket) => {
        socket.once("data", () => setImmediate(() => stopping.abort()));
      });
      const reading = storeOf(3_600_000).get("ten_1/test/a", stopping.signal);
      await expect(reading.then((file) => file && buffer(file))).rejects.toThrow(/abort/i);
    }
  });
});

describe("receiving", () => {
  const waiting = () => readdir(path.join(env().BLOB_DIRECTORY, "incoming"));

  test("counts, hashes and recognizes text", async () => {
    const text = Buffer.from("Grüße, 世界 🦊");
    // Cut in the middle of characters.
    const chunks = [...text].map((byte) => Buffer.from([byte]));
    const incoming = await receiveFile(Readable.from(chunks), 100);
    expect(incoming).toMatchObject({
      sizeBytes: text.length,
      sha256: createHash("sha256").update(text).digest(),
      head: text,
      isText: true,
    });
    await incoming.discard();
    expect(existsSync(incoming.path)).toBe(false);
    for (const other of ["a\0b", Buffer.from([0xff, 0xfe, 0x41, 0x00]), text.subarray(0, -1)]) {
      const file: IncomingFile = await receive(other);
      expect(file.isText).toBe(false);
      await file.discard();
    }
  });

  test("leaves nothing of a file that is too large or incomplete", async () => {
    const exact = await receiveFile(Readable.from([Buffer.alloc(100)]), 100);
    await exact.discard();
    await expect(
      receiveFile(Readable.from([Buffer.alloc(50), Buffer.alloc(51)]), 100),
    ).rejects.toMatchObject({
      kind: "payload-too-large",
    });
    async function* broken() {
      yield Buffer.alloc(10);
      throw new Error("broken off");
    }
    await expect(receiveFile(broken(), 100)).rejects.toThrow("broken off");
    expect(await waiting()).toEqual([]);
  });
});
