import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { printedBy } from "../support/printed";
import { freePort } from "../support/processes";

/** The only line of a process that did not start, without its time. */
async function refusal(program: "web" | "worker", environment: Record<string, string>) {
  const { lines, exitCode } = await printedBy(program, environment);
  expect([lines.length, exitCode]).toEqual([1, 1]);
  const { level, error, msg } = JSON.parse(lines[0] ?? "");
  expect([level, msg]).toEqual([
    60,
    program === "web" ? "web could not start" : "the worker could not start",
  ]);
  return error as string;
}

test.each(["web", "worker"] as const)(
  "%s ends with 1 and one line that names an invalid setting",
  async (program) => {
    expect(await refusal(program, { SECRET_KEYS: "none" })).toMatch(
      /^The environment is not valid:\n {2}SECRET_KEYS: each entry is "<id>:<base64 of 32 bytes>"/,
    );
    expect(await refusal(program, { PORT: "http", DATABASE_POOL_SIZE: "0.5" })).toBe(
      "The environment is not valid:\n  PORT: give a whole number from 0 to 65535\n  DATABASE_POOL_SIZE: give a whole number from 1 to 500",
    );
    expect(
      await refusal(program, {
        UPSTASH_REDIS_REST_URL: "redis://127.0.0.1:6379",
        UPSTASH_REDIS_REST_TOKEN: "token",
      }),
    ).toMatch(
      /^The environment is not valid:\n {2}UPSTASH_REDIS_REST_URL: .*REST.*, not the address of Redis$/,
    );
  },
);

test("web ends with 1 and one line that names a port or an address it cannot listen on", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const HOST = "127.0.0.1";

  expect(await refusal("web", { HOST, PORT: String(port) })).toBe(
    `Another process already listens on port ${port}. Stop it, or set PORT to another port.`,
  );
  // Reserved for documentation, so no machine has it.
  expect(await refusal("web", { HOST: "203.0.113.9", PORT: String(await freePort()) })).toBe(
    "This machine does not have the address 203.0.113.9. Correct HOST, or unset it to listen on all addresses.",
  );
  other.close();
});

test("while the database cannot be reached, a worker reports that once, and not for each job", async () => {
  const DATABASE_URL = `postgresql://parlance@127.0.0.1:${await freePort()}/parlance`;
  const { lines } = await printedBy(
    "worker",
    // Every job and claim has failed by the time the second line about the same outage is due.
    { DATABASE_URL, DATABASE_DIRECT_URL: "", LOG_LEVEL: "info" },
    /"failures":\d{2,}/,
  );
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level > 30);
  expect(warnings.map(({ msg }) => msg.split(/[;,] /)[0]).sort()).toEqual([
    "stored secrets could not be checked against SECRET_KEYS",
    "the connection that listens for notifications was lost and reconnects",
    "the database cannot be used",
    "the database cannot be used",
    "the database cannot be used yet",
  ]);
  expect(env().DATABASE_URL).not.toBe(DATABASE_URL);
});
