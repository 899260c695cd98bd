import { type ChildProcess, execFileSync, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";

/** Starts PostgreSQL's programs as a user that it accepts. */
export type Launcher = {
  uid: number | undefined;
  gid: number | undefined;
  start: (command: string, args: string[], log: number) => ChildProcess;
  finish: (command: string, args: string[]) => Promise<void>;
};

/**
 * PostgreSQL refuses to run as root, so under root it runs as the user `postgres`, which is created
 * if missing. If that user cannot enter the directories on the path (a checkout under /root), the
 * process gets the one capability for it.
 */
export function launcher(directories: string[]): Launcher {
  const isRoot = process.getuid?.() === 0;
  const ids = isRoot ? postgresUser() : undefined;
  const needsCapability = isRoot && !directories.every(isReachableByOthers);
  const capability = [
    "--securebits=+no_setuid_fixup",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
  ];
  const wrap = (command: string, args: string[]): [string, string[]] =>
    needsCapability && ids
      ? [
          "setpriv",
          [
            `--reuid=${ids.uid}`,
            `--regid=${ids.gid}`,
            "--clear-groups",
            ...capability,
            "--",
            command,
            ...args,
          ],
        ]
      : [command, args];
  const identity = needsCapability ? {} : { uid: ids?.uid, gid: ids?.gid };

  // Its own process group: Ctrl-C in the terminal reaches only the supervisor, which stops
  // everything in order.
  const start = (command: string, args: string[], stdio: StdioOptions) =>
    spawn(...wrap(command, args), { ...identity, detached: true, stdio });

  return {
    uid: ids?.uid,
    gid: ids?.gid,
    start: (command, args, log) => start(command, args, ["ignore", log, log]),
    finish: async (command, args) => {
      const child = start(command, args, ["ignore", "ignore", "pipe"]);
      const guard = endWithThisProcess(child, "KILL");
      const output = child.stderr ? text(child.stderr) : "";
      const [exitCode] = await once(child, "exit").finally(() => guard?.kill("SIGKILL"));
      if (exitCode === 0) return;
      const hint = needsCapability
        ? "\nAs root, Parlance runs PostgreSQL as the user `postgres`, and that user cannot enter this directory. Move the project and DATA_DIR to a directory that other users can enter."
        : "";
      throw new Error(`${path.basename(command)} failed: ${await output}${hint}`);
    },
  };
}

/**
 * Starts a shell that only waits for this process to end, for any reason, and then sends the signal
 * to the child and its own children. So even a `kill -9` leaves no database running, and nothing
 * that still writes to its directory.
 */
export function endWithThisProcess(
  { pid }: ChildProcess,
  signal: "INT" | "KILL",
): ChildProcess | undefined {
  if (process.platform === "win32" || pid === undefined) return undefined;
  const guard = spawn("/bin/sh", ["-c", `read -r _; kill -s ${signal} -- -${pid}`], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  guard.on("error", () => {});
  guard.unref();
  return guard;
}

function postgresUser(): { uid: number; gid: number } {
  const idOf = (flag: string) =>
    Number(
      execFileSync("id", [flag, "postgres"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    );
  try {
    return { uid: idOf("-u"), gid: idOf("-g") };
  } catch {
    execFileSync("useradd", [
      "--system",
      "--user-group",
      "--no-create-home",
      "--shell",
      "/usr/sbin/nologin",
      "postgres",
    ]);
    return { uid: idOf("-u"), gid: idOf("-g") };
  }
}

function isReachableByOthers(directory: string): boolean {
  const absolute = path.resolve(directory);
  const parent = path.dirname(absolute);
  const canEnter = !existsSync(parent) || (statSync(parent).mode & 0o001) !== 0;
  return canEnter && (parent === absolute || isReachableByOthers(parent));
}
