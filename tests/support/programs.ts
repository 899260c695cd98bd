import { accessSync, constants } from "node:fs";
import path from "node:path";

/** The path of a program of the system, or null if it is not installed. */
export function findProgram(name: string): string | null {
  for (const folder of [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin"]) {
    const file = path.join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  process.stderr.write(
    `${name} is not installed (apt-get install ${name}), so what needs it was not tested.\n`,
  );
  return null;
}
