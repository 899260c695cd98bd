import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Locked = { packages: Record<string, { optionalDependencies?: Record<string, string> }> };

// `npm install` leaves out what its registry does not serve, and `npm ci` then refuses the file
// everywhere.
test("the lock file names the optional packages of every platform", () => {
  const { packages }: Locked = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const locked = new Set(
    Object.keys(packages).map((location) => location.split("node_modules/").at(-1)),
  );
  const wanted = Object.values(packages).flatMap(({ optionalDependencies }) =>
    Object.keys(optionalDependencies ?? {}),
  );

  expect(wanted.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => !locked.has(name))).toEqual([]);
});
