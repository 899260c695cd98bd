import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { supervise } from "@/server/embedded/supervised-process";
import { listedLog } from "../support/listed-log";

const guard = pathToFileURL(path.resolve("server/embedded/exit-with-supervisor.mjs")).href;

test("a process that dies after the clock was set back an hour starts again within a second", async () => {
  const { lines, notices, log } = listedLog();
  const program =
    'process.send("runs", () => console.log(process.pid)); setInterval(() => {}, 1_000);';
  const supervised = supervise(["--eval", program], process.env, log);
  try {
    await expect.poll(() => lines).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    process.kill(Number(lines[0]), "SIGKILL");
    await expect.poll(() => notices).toHaveLength(1);
    expect(notices[0]).toMatch(/it starts again (immediately|in [01](\.\d+)? s)$/);
    await expect.poll(() => lines).toHaveLength(2);
  } finally {
    vi.useRealTimers();
    await supervised.stop(5_000);
  }
});

test("a process is released once, and so is the one that replaces it", async () => {
  const { lines, log } = listedLog();
  const program = 'process.once("message", () => console.log(process.pid));';
  const supervised = supervise(["--eval", program], process.env, log);
  try {
    supervised.release();
    await expect.poll(() => lines).toHaveLength(1);
    process.kill(Number(lines[0]), "SIGKILL");
    await expect.poll(() => lines).toHaveLength(2);
  } finally {
    await supervised.stop(5_000);
  }
});

test("a process ends if its supervisor was killed before the process could notice", async () => {
  const late = `
    if (process.connected) await new Promise((gone) => process.once("disconnect", gone));
    await import("${guard}");`;
  const args = ["--import", `data:text/javascript,${encodeURIComponent(late)}`];
  const child = spawn(process.execPath, [...args, "--eval", "setInterval(() => {}, 1_000)"], {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.disconnect();
  expect(await once(child, "exit")).toEqual([1, null]);
});

// As with `npm run dev`: Turbopack starts such a process for the styles of every page.
test("a process that web starts with its own options runs without a channel to the supervisor", () => {
  const env = { ...process.env, NODE_OPTIONS: `--import=${guard}` };
  const program = 'console.log("runs")';
  const { status, stdout } = spawnSync(process.execPath, ["--eval", program], { env });
  expect([status, stdout.toString()]).toEqual([0, "runs\n"]);
});
