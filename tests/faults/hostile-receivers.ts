import { fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { type Kind, kinds, openHostile } from "../support/gallery";

// Every hostile receiver, in a process of its own that gives way to all others: they stand for
// machines elsewhere, and what they cost must not slow those whose latency is measured.

export type HostileReceiver = { kind: Kind; url: string; outcome: object };

const lowPriority = 10;
/** How long the one that is slow but well takes to answer. */
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
