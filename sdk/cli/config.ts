import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

export type Config = {
  apiKey?: string;
  baseUrl?: string;
  /** Signs what `parlance listen` forwards. It stays the same, so that receivers need it once. */
  listenSecret?: string;
  /** The last event that `parlance listen` has forwarded, by the start of the API key's digest. */
  lastForwarded?: Record<string, string>;
};

/** In the folder where programs of this system store their settings. */
export function configFile(): string {
  const { PARLANCE_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA } = process.env;
  const folder =
    PARLANCE_CONFIG_DIR ||
    path.join(
      process.platform === "win32"
        ? APPDATA || path.join(homedir(), "AppData", "Roaming")
        : process.platform === "darwin"
          ? path.join(homedir(), "Library", "Application Support")
          : XDG_CONFIG_HOME || path.join(homedir(), ".config"),
      "parlance",
    );
  return path.join(folder, "config.json");
}

export function readConfig(): Config {
  try {
    return JSON.parse(readFileSync(configFile(), "utf8")) as Config;
  } catch {
    return {};
  }
}

/** Only this user can read the file, because it contains a key. */
export function changeConfig(change: (config: Config) => Config): void {
  const file = configFile();
  const changed = change(readConfig());
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // A crash while writing leaves the old file.
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}

export function removeConfig(): void {
  rmSync(configFile(), { force: true });
}
