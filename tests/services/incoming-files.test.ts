import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { receiveFile } from "@/lib/platform/blobs/incoming-file";
import { env } from "@/lib/platform/env";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";

// In a separate file, because it tests the first files that a process receives.
test("concurrent first uploads all find the directory for incoming files", async () => {
  await rm(env().BLOB_DIRECTORY, { recursive: true, force: true });
  const received = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      receiveFile(Readable.from([Buffer.from(`${index}`)]), 100),
    ),
  );
  expect(received.map(({ sizeBytes }) => sizeBytes)).toEqual(Array(10).fill(1));
  for (const { discard } of received) await discard();
  expect(await readdir(path.join(env().BLOB_DIRECTORY, "incoming"))).toEqual([]);
});

test("a missing file is not reported as a missing database", () => {
  const missing = (message: string) => Object.assign(new Error(message), { code: "ENOENT" });
  expect(
    isDatabaseUnavailable(missing("ENOENT: no such file or directory, open '/data/blobs/a'")),
  ).toBe(false);
  expect(isDatabaseUnavailable(missing("connect ENOENT /var/run/postgresql/.s.PGSQL.5432"))).toBe(
    true,
  );
});
