import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { createTenant } from "@/lib/tenants/service";

/** Folders whose pages are directly below the origin. */
const roots = ["app", "app/(auth)", "app/(dashboard)"];
const firstSegments = roots
  .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory() && /^[a-z0-9-]+$/.test(entry.name))
  .map(({ name }) => name);

test("no organization gets the first segment of a page or a route as its slug", async () => {
  expect(firstSegments).toEqual(expect.arrayContaining(["docs", "files", "login", "sdk", "v1"]));
  for (const name of firstSegments) {
    const { slug } = await createTenant(db(), { name });
    expect([name, slug]).toEqual([name, expect.stringMatching(`^${name}-[0-9]+$`)]);
  }
});
