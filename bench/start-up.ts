import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@/tests/support/processes";
import { median, responds, type Sizes } from "./setting";
import { atMost, line, type Measured, say } from "./table";

// How long `npm start` takes on a built tree until it is ready: the first time, when it creates its
// database and the demo, and afterwards.

const goalSeconds = 3;

export async function measureStart({ rounds }: Sizes): Promise<Measured> {
  const seconds = { first: [] as number[], again: [] as number[] };
  // Removed at the end only: for minutes after a thousand files were removed, ext4 takes several
  // times as long to create files next to them.
  const parent = mkdtempSync(path.join(tmpdir(), "parlance-start-"));
  try {
    // The first round may build what is out of date, and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const directory = path.join(parent, String(round));
      const first = await secondsToReady(directory);
      const again = await secondsToReady(directory);
      say(`ready after ${first.toFixed(1)} s, then ${again.toFixed(1)} s`);
      if (round === 0) continue;
      seconds.first.push(first);
      seconds.again.push(again);
    }
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
  const row = "npm start to ready";
  const figures = { "new data": median(seconds.first), "existing data": median(seconds.again) };
  return {
    rows: Object.entries(figures).map(([variant, value]) => ({
      name: `${row}, ${variant}`,
      figure: `${value.toFixed(1)} s`,
      ...atMost(value, goalSeconds, " s"),
    })),
    lines: Object.entries(figures).map(([variant, value]) =>
      line(row, variant, { p50Ms: value * 1_000 }),
    ),
  };
}

async function secondsToReady(directory: string): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn("npm", ["start"], {
    env: { ...process.env, PORT: String(port), DATA_DIR: directory },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = once(child, "exit");
  const isReady = responds(`http://127.0.0.1:${port}/ready`);
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error("npm start ended before it was ready");
    await sleep(10);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  child.kill("SIGTERM");
  await exited;
  return seconds;
}
