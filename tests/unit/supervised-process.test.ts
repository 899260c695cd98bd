import { expect, test, vi } from "vitest";
import type { LogFile } from "@/server/embedded/log-file";
import { supervise } from "@/server/embedded/supervised-process";

test("a process that dies after the clock was set back an hour starts again within a second", async () => {
  const lines: string[] = [];
  const notices: string[] = [];
  const log: LogFile = {
    path: "",
    write: (line) => lines.push(line),
    notice: (sentence) => notices.push(sentence),
    lastLines: () => "",
  };
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
