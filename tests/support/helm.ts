import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The path of Helm, or null if it is not installed. `go install helm.sh/helm/v3/cmd/helm` installs
 * it.
 */
export function findHelm(): string | null {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "helm");
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  process.stderr.write("helm is not installed, so only part of the chart is compared\n");
  return null;
}
