import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { type Kind, kinds, openHostile } from "../support/gallery";

// All hostile receivers, in a separate process with a low priority: they represent remote machines,
// so their CPU time must not slow down the receivers whose latency is measured.

export type HostileReceiver = { kind: Kind; url: string; outcome: object };

const lowPriority = 10;
/** The response time of the slow but healthy receiver. */
const slowMs = 5_000;

export async function openHostileReceivers() {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ["--import", "tsx"] });
  const exited = once(child, "exit");
  const [receivers] = (await Promise.race([once(child, "message"), exited])) as [
    HostileReceiver[] | number,
  ];
  if (!Array.isArray(receivers)) throw new Error("the hostile receivers did not open");
  const close = async () => {
    child.kill();
    await exited;
  };
  return { receivers, close };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send) {
  setPriority(lowPriority);
  const opened = await Promise.all(kinds.map((kind) => openHostile(kind, { slowMs })));
  process.on("disconnect", () => process.exit());
  process.send(opened.map(({ kind, url, outcome }): HostileReceiver => ({ kind, url, outcome })));
}
