import { execFile, spawnSync } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { signatureHeader } from "@/lib/deliveries/engine/sign";

// What the documentation tells receivers to copy, run as they would run it, on signatures that the
// service makes and on wrong ones.

export const run = promisify(execFile);
export const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const now = 1_769_851_800;
const body = JSON.stringify({ id: "evt_1", text: "Grüße, 你好 👋" });
const signed = (secrets: string[], timestampSeconds = now) =>
  signatureHeader({ secrets, timestampSeconds, body });

export const cases: { what: string; header: string; body: string; expected: boolean }[] = [
  { what: "the right secret", header: signed([secret]), body, expected: true },
  {
    what: "the old secret next to the new one",
    header: signed(["whsec_new", secret]),
    body,
    expected: true,
  },
  { what: "299 seconds old", header: signed([secret], now - 299), body, expected: true },
  { what: "another secret", header: signed(["whsec_other"]), body, expected: false },
  { what: "another body", header: signed([secret]), body: `${body} `, expected: false },
  { what: "301 seconds old", header: signed([secret], now - 301), body, expected: false },
  { what: "301 seconds ahead", header: signed([secret], now + 301), body, expected: false },
  {
    what: "another time than was signed",
    header: signed([secret]).replace(`t=${now}`, `t=${now + 1}`),
    body,
    expected: false,
  },
  { what: "no signature", header: `t=${now}`, body, expected: false },
  { what: "an empty signature", header: `t=${now},v1=`, body, expected: false },
  { what: "no time", header: signed([secret]).replace(/^t=\d+,/, ""), body, expected: false },
  {
    what: "a time that is not a number",
    header: signed([secret]).replace(`t=${now}`, "t=soon"),
    body,
    expected: false,
  },
  {
    what: "letters that are no hex",
    header: `t=${now},v1=${"ü".repeat(64)}`,
    body,
    expected: false,
  },
  { what: "nothing", header: "", body, expected: false },
];
export const expected = cases.map((one) => one.expected);

export let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "verify-snippets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Copies a snippet of the documentation to where the programs run. */
export const take = (file: string, as = file) =>
  copyFile(path.join("docs/verify-webhook", file), path.join(folder, as));
export const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
export const isThere = (command: string, argument: string) =>
  spawnSync(command, [argument]).status === 0;

/** One case per line, in a format that every language reads without a library. */
export const lines = cases
  .map(({ header, body }) =>
    [header, body].map((text) => Buffer.from(text).toString("base64")).join(" "),
  )
  .join("\n");

/** @returns what a program prints for each case */
export async function answers(command: string, args: string[]): Promise<boolean[]> {
  await write("cases.txt", `${lines}\n`);
  const { stdout } = await run(command, args, { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().toLowerCase() === "true");
}
