import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { Launcher } from "./launcher";

/** The role that owns the database. */
export const ownerRole = "parlance";

/**
 * npm packages contain no symbolic links. The package's install script, which does not run here,
 * would create these.
 */
export function linkLibraries(packageDirectory: string): void {
  const list = path.join(packageDirectory, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, "utf8")) as {
    source: string;
    target: string;
  }[]) {
    const link = path.join(packageDirectory, target);
    if (!lstatSync(link, { throwIfNoEntry: false }))
      symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

/**
 * Creates the cluster under another name and then renames it, so that an interrupted creation is never mistaken
 * for a cluster.
 */
export async function createCluster(
  initdb: string,
  directory: string,
  password: string,
  run: Launcher,
): Promise<void> {
  const unfinished = `${directory}.new`;
  const passwordFile = `${directory}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (run.uid !== undefined)
    for (const file of [unfinished, passwordFile]) chownSync(file, run.uid, run.gid ?? run.uid);
  try {
    // Locale C compares text by bytes, so the order is the same on every machine, and ids sort in
    // the order in which they were made.
    await run.finish(initdb, [
      `--pgdata=${unfinished}`,
      `--username=${ownerRole}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
    ]);
    renameSync(unfinished, directory);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
