import { type ChildProcessByStdio, spawn } from "node:child_process";
import path from "node:path";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

// Relative to the project's root, where every command runs. The files run unbundled from there.
export const extractionDirectory = path.resolve("lib/knowledge/documents/extraction");

export type SandboxLimits = {
  heapMegabytes: number;
  /**
   * All memory that the process may write to, including memory outside the heap. Enforced on Linux.
   */
  memoryMegabytes: number;
};

/**
 * The shell sets the memory limit, leaves the network namespace if the system allows it, and
 * becomes the process.
 */
const confine =
  'ulimit -d "$0" 2>/dev/null; if unshare -rn true 2>/dev/null; then exec unshare -rn -- "$@"; fi; exec "$@"';
const confineWithoutNamespace = 'ulimit -d "$0" 2>/dev/null; exec "$@"';

/**
 * Starts Node for an untrusted file. The process can read packages and the document readers. It
 * cannot write files, start processes or use the network, and it has no secrets.
 * @param withNamespace false leaves out the namespace, so that a test can check what systems
 * without namespaces get
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
    // Also denies the network in versions of Node that have --allow-net, because that flag is not
    // given.
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
  // The environment is not passed on: a proxy or a secret in it could be abused.
  return spawn(program, rest, {
    env: { NODE_ENV: "production", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" },
    stdio: ["pipe", "pipe", "ignore"],
  });
}
