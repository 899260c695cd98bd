// Loaded into web and worker before their own code. When the supervisor ends, even by `kill -9`,
// the channel to it closes. Then they stop as on SIGTERM, so that no process is left for the next
// start.

const lastChanceMs = 12_000;

// `next dev` passes its options to every process that it starts, so this also loads into those of
// Turbopack. They have no channel, and must run without one.
const hasChannel = process.connected !== undefined;

if (hasChannel) exitWithSupervisor();

function exitWithSupervisor() {
  const supervisor = process.ppid;
  let isAlone = false;

  // It may have ended before this listens to the channel.
  if (!process.connected) process.exit(1);

  // Before the log's own listener, which would try to write its last line forever: nobody reads it.
  // The process may end before it learns that the channel is closed.
  process.on("exit", () => {
    if (isAlone || process.ppid !== supervisor) process.kill(process.pid, "SIGKILL");
  });

  process.on("disconnect", () => {
    isAlone = true;
    setTimeout(() => process.exit(1), lastChanceMs).unref();
    process.kill(process.pid, "SIGTERM");
  });
}
