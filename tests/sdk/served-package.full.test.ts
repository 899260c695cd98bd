import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { version } from "@/sdk/src/version";
import { startWeb } from "../support/processes";

test("npm installs the client and its command from the running service", async () => {
  const web = await startWeb();
  const folder = mkdtempSync(path.join(tmpdir(), "parlance-served-"));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder }).toString();
  try {
    writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
    run("npm", "install", "--no-audit", "--no-fund", `${web.url}/sdk.tgz`);
    expect(run("npx", "parlance", "--version")).toBe(`${version}\n`);
    const use = 'import { Parlance } from "@parlance/sdk"; console.log(typeof Parlance)';
    expect(run(process.execPath, "--input-type=module", "-e", use)).toBe("function\n");

    const { headers } = await fetch(`${web.url}/sdk/${version}.tgz`);
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await fetch(`${web.url}/sdk/constructor`)).status).toBe(404);
    const other = await fetch(`${web.url}/sdk/0.0.1.tgz`);
    expect([other.status, await other.text()]).toEqual([
      404,
      `There is no 0.0.1.tgz here. The clients of this service are ${version}.\n`,
    ]);
  } finally {
    await web.end();
    rmSync(folder, { recursive: true, force: true });
  }
});
