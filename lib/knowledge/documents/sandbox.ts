import { type ChildProcessByStdio, spawn } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

// Relative to the project's root, where every command runs. It is run as it stands there, and is
// part of no bundle.
export const extractionDirectory = path.resolve("lib/knowledge/documents/extraction");

export type SandboxLimits = {
  heapMegabytes: number;
  /** All that the process may write to, what is outside of the heap included. Linux keeps to it. */
  memoryMegabytes: number;
};

/**
 * The shell sets the limit of memory, leaves the network where the system allows that, and becomes
 * the process.
 */
const confine =
  'ulimit -d "$0" 2>/dev/null; if unshare -rn true 2>/dev/null; then exec unshare -rn -- "$@"; fi; exec "$@"';
const confineWithoutNamespace = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/**
 * Starts Node for a stranger's file: it can read packages and the readers of documents, write
 * nothing, start nothing and reach no network, and it knows no secret.
 * @param withNamespace false leaves out what not every system has, so that a test sees the rest
 * hold by itself
 */
export function startSandboxed(
  parameters: string[],
  { heapMegabytes, memoryMegabytes }: SandboxLimits,
  { withNamespace = true } = {},
): ChildProcessByStdio<Writable, Readable, null> {
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const node = [
    process.execPath,
    `--max-old-space-size=${heapMegabytes}`,
    // It denies the network as well where Node knows --allow-net, which is not given.
    permission,
    `--allow-fs-read=${extractionDirectory}/*`,
    `--allow-fs-read=${path.resolve("node_modules")}/*`,
    `--allow-fs-read=${path.resolve("package.json")}`,
    "--import",
    pathToFileURL(path.join(extractionDirectory, "no-network.mjs")).href,
    ...parameters,
  ];
  const shell = withNamespace ? confine : confineWithoutNamespace;
  const [program = "", ...rest] =
    process.platform === "win32"
      ? node
      : ["/bin/sh", "-c", shell, String(memoryMegabytes * 1_024), ...node];
  // A proxy of the environment would be a way out, and so would a secret in it.
  return spawn(program, rest, {
    env: { NODE_ENV: "production", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
  });
}
