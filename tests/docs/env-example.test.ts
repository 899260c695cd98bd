import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseEnv } from "@/lib/platform/env";

/** Every `#NAME=value` of .env.example. */
const examples = Object.fromEntries(
  [...readFileSync(".env.example", "utf8").matchAll(/^#([A-Z][A-Z0-9_]*)="?(.*?)"?$/gm)].map(
    ([, name, value]) => [name, value],
  ),
);

// `npm start` reads it for migrations and passes on DATABASE_URL only.
const onlyForMigrations = "MIGRATION_DATABASE_URL";

test(".env.example names exactly the settings that env.ts reads", () => {
  const source = readFileSync("lib/platform/env.ts", "utf8");
  const settings = [...source.matchAll(/^ {4}([A-Z][A-Z0-9_]*): /gm)].map(([, name]) => name);

  expect(settings.length).toBeGreaterThan(40);
  expect(Object.keys(examples).sort()).toEqual([...settings, onlyForMigrations].sort());
});

test("the documentation lists every setting of .env.example", () => {
  const guide = readFileSync("docs/guides/configuration.mdx", "utf8");
  const chosenByCommands = ["NODE_ENV"];
  const missing = Object.keys(examples).filter((name) => !guide.includes(`\`${name}\``));

  expect(missing).toEqual(chosenByCommands);
});

test("every value in .env.example is valid", () => {
  expect(() => parseEnv(examples)).not.toThrow();
});
