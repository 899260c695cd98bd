import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

// The Python client with what its checks need, in a virtual environment of its own.

export const pythonFolder = path.resolve("sdk-python");
const environment = path.join(pythonFolder, ".venv");
export const python = path.join(environment, "bin", "python");

/** Python 3.9 or newer with venv and pip, or null with a remark. */
export function findPython(what: string): string | null {
  const isUsable = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))";
  for (const name of ["python3", "python"])
    if (spawnSync(name, ["-c", isUsable]).status === 0) return name;
  process.stdout.write(`${what}: Python 3.9 or newer with venv and pip is missing.\n`);
  return null;
}

// Test files run at the same time, so the first one locks. The lock ends with the process.
const install = `
import fcntl, pathlib, subprocess, sys
environment, stamp, *packages = sys.argv[1:]
with open(environment + ".lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    installed = pathlib.Path(environment, "installed")
    if not installed.exists() or installed.read_text() != stamp:
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        pip = [environment + "/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--editable", *packages], check=True)
        installed.write_text(stamp)
`;

/** Creates the environment unless it has these packages already. */
export async function preparePython(name: string): Promise<void> {
  const packages = [".[test]", "fastapi"];
  const stamp = `${packages}\n${readFileSync(path.join(pythonFolder, "pyproject.toml"), "utf8")}`;
  await promisify(execFile)(name, ["-c", install, environment, stamp, ...packages], {
    cwd: pythonFolder,
  });
}
