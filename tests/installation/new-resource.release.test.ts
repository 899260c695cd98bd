import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const timeout = 600_000;

/** A copy of the working tree without ignored files. */
function copyOfRepository(): string {
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-new-resource-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { encoding: "utf8" }).split("\0").filter(existsSync);
  for (const file of files) cpSync(file, path.join(directory, file));
  symlinkSync(path.resolve("node_modules"), path.join(directory, "node_modules"));
  return directory;
}

test("a generated resource passes the type check, the linter and the tests, with no file edited by hand", {
  timeout,
}, () => {
  const directory = copyOfRepository();
  // Without the environment variables of this test run.
  const { PATH, HOME } = process.env;
  const run = (command: string, ...parameters: string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, parameters, {
      cwd: directory,
      env: { PATH, HOME, NODE_ENV: "test" },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${command} ${parameters.join(" ")}\n${stdout}${stderr}`);
    return stdout;
  };

  run("git", "init", "--quiet");
  run("git", "add", "--all");
  run("npm", "run", "--silent", "new:resource", "--", "price-lists", "--prefix", "prl");

  const changed = run("git", "status", "--porcelain", "--untracked-files=all", "-z").split("\0");
  const filesWith = (mark: string) =>
    changed
      .filter((line) => line.startsWith(mark))
      .map((line) => line.slice(3).replace(/\d{14}/, "<time>"))
      .sort();
  expect({ written: filesWith("??"), extended: filesWith("AM") }).toMatchInlineSnapshot(`
    {
      "extended": [
        "components/shell/navigation.ts",
        "docs/operations.md",
        "lib/api/event-reference.ts",
        "lib/api/routes.ts",
        "lib/resources/registry.ts",
        "lib/tenant-deletion/delete-tenants.sql.ts",
        "lib/test-data/service.sql.ts",
        "prisma/beyond-schema.sql",
        "prisma/migrations/schema.prisma",
        "prisma/schema.prisma",
        "sdk-python/src/parlance/_generated/models.py",
        "sdk-python/src/parlance/_generated/resources.py",
        "sdk/src/generated/types.ts",
        "sdk/src/parlance.ts",
        "tests/api/cursors.test.ts",
        "tests/api/scopes.test.ts",
        "tests/sdk/operations.test.ts",
        "tests/services/role-matrix.test.ts",
        "tests/support/fill-tenant.ts",
        "tests/support/sample-resources.ts",
      ],
      "written": [
        "app/(dashboard)/[tenant]/[environment]/price-lists/page.tsx",
        "app/v1/public/price-lists/[priceListId]/route.ts",
        "app/v1/public/price-lists/route.ts",
        "lib/price-lists/events.ts",
        "lib/price-lists/schema.ts",
        "lib/price-lists/service.ts",
        "prisma/migrations/<time>_add_price_lists/migration.sql",
        "sdk/src/price-lists.ts",
        "tests/api/price-lists.test.ts",
      ],
    }
  `);
  const text = readFileSync(path.join(directory, "lib/price-lists/service.ts"), "utf8");
  expect(text).toContain("export async function createPriceList(caller: Caller");

  run("npx", "tsc", "-p", ".");
  run("npx", "biome", "check", ".");
  run("npx", "knip", "--no-config-hints");
  const tests = [
    "tests/api/price-lists.test.ts",
    "tests/api/scopes.test.ts",
    "tests/api/cursors.test.ts",
    "tests/sdk/operations.test.ts",
    "tests/sdk/generated-types.test.ts",
    "tests/services/migrations.test.ts",
    "tests/services/role-matrix.test.ts",
    "tests/services/tenant-deletion.test.ts",
    "tests/services/wipe-test-data.full.test.ts",
    "tests/unit/imports.test.ts",
    "tests/unit/openapi.test.ts",
    "tests/unit/operations-table.test.ts",
    "tests/unit/registry.test.ts",
  ];
  run("npx", "vitest", "run", ...tests);
  run("npx", "vitest", "run", "tests/docs/curl-snippets.full.test.ts", "-t", "PriceList");
});
