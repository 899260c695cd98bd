// Loaded into web and worker before their own code. When the supervisor is gone, even by `kill -9`,
// the channel to it closes: then they end as if they had been asked to, so that the next start
// finds nobody.

const lastChanceMs = 12_000;

process.on("disconnect", () => {
  setTimeout(() => process.exit(1), lastChanceMs).unref();
  process.kill(process.pid, "SIGTERM");
});
