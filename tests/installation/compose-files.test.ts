import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const files = ["compose.yaml", "compose.minimal.yaml"];

type Service = { image: string; build?: string; environment?: Record<string, string> };

const read = (file: string) => readFileSync(file, "utf8");
const servicesOf = (file: string) =>
  parse(read(file), { merge: true }).services as Record<string, Service>;

/** The variables of the `.env` in the guide. */
const documented = [
  ...(
    /cat > \.env <<EOF\n(.*?)\nEOF/s.exec(read("docs/guides/self-hosting.mdx"))?.[1] ?? ""
  ).matchAll(/^(\w+)=/gm),
].map(([, name = ""]) => name);

test.each(files)(
  "%s needs only what the guide's .env contains, and sets only settings that exist",
  (file) => {
    const needed = [...read(file).matchAll(/\$\{(\w+):\?/g)].map(([, name = ""]) => name);
    expect(needed.length).toBeGreaterThan(0);
    expect(needed.filter((name) => !documented.includes(name))).toEqual([]);
    const settings = read("lib/platform/env.ts");
    const ours = Object.values(servicesOf(file)).filter(({ build }) => build);
    expect(ours.length).toBeGreaterThan(0);
    for (const { environment } of ours)
      for (const name of Object.keys(environment ?? {})) expect(settings).toContain(`    ${name}:`);
  },
);

test.each(files)("%s names a version of every image that it does not build", (file) => {
  for (const { image, build } of Object.values(servicesOf(file)))
    if (!build) expect(image).toMatch(/:(?!latest)[\w.-]*\d/);
});

const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;
if (!hasCompose)
  process.stderr.write("docker compose is not installed, so it did not read its files\n");

test.skipIf(!hasCompose).each(files)(
  "docker compose accepts %s, and says what is missing in .env",
  (file) => {
    const directory = mkdtempSync(path.join(tmpdir(), "parlance-compose-"));
    try {
      const config = (text: string) => {
        const environmentFile = path.join(directory, ".env");
        writeFileSync(environmentFile, text);
        const { PATH = "", HOME = "" } = process.env;
        const args = [
          "compose",
          "--env-file",
          environmentFile,
          "--file",
          file,
          "config",
          "--quiet",
        ];
        return spawnSync("docker", args, {
          encoding: "utf8",
          env: { PATH, HOME, NODE_ENV: "test" },
        });
      };
      const complete = documented.map((name) => `${name}=secret\n`);
      expect(config(complete.join(""))).toMatchObject({ status: 0, stderr: "" });
      const without = config(complete.filter((line) => !line.startsWith("SECRET_KEYS=")).join(""));
      expect(without.status).not.toBe(0);
      expect(without.stderr).toContain("set SECRET_KEYS in .env");
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
