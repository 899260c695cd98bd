import {
  appendFileSync,
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { inDataDirectory } from "./data-directory";

export type LogFile = {
  path: string;
  /**
   * Writes one line of a process to the file, and to the terminal if it is at least a warning, or
   * an error that is not JSON.
   */
  write: (line: string, stream: "stdout" | "stderr") => void;
  /** Writes a message of the supervisor about that process to both. */
  notice: (sentence: string) => void;
  lastLines: (count: number) => string;
};

type LogFileOptions = { isEchoed?: boolean; maximumBytes?: number; keptFiles?: number };

/** Our own lines are shorter (lib/platform/log.ts). Other output of a process is cut here. */
const maximumLine = 16 * 1_024;
const warning = 40;

/**
 * Beyond `maximumBytes`, a file is renamed with the time, `web-2026-03-01T08-00-00-000Z.log`, and
 * compressed. The newest `keptFiles` stay, so pushing out a line would take hundreds of megabytes
 * of log.
 */
export function logFile(
  name: string,
  { isEchoed = false, maximumBytes = 50 * 1024 * 1024, keptFiles = 10 }: LogFileOptions = {},
): LogFile {
  const directory = inDataDirectory("logs");
  mkdirSync(directory, { recursive: true });
  const file = path.join(directory, `${name}.log`);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  const rotate = () => {
    const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
    renameSync(file, path.join(directory, `${name}-${time}.log`));
    bytes = 0;
    compressOld();
  };
  const compressOld = () => {
    const old = readdirSync(directory).filter(
      (entry) => entry.startsWith(`${name}-`) && /\.log(\.gz)?$/.test(entry),
    );
    for (const entry of old.sort().slice(0, -keptFiles))
      rmSync(path.join(directory, entry), { force: true });
    for (const entry of old.slice(-keptFiles))
      if (entry.endsWith(".log")) void compress(path.join(directory, entry));
  };

  const append = (line: string) => {
    try {
      if (bytes > maximumBytes) rotate();
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
      bytes += Buffer.byteLength(line) + 1;
    } catch {
      // A full disk must not stop the processes. Warnings still reach the terminal.
    }
  };
  const toTerminal = (text: string) => process.stderr.write(`[${name}] ${text}\n`);
  if (bytes > maximumBytes) rotate();

  return {
    path: file,
    write: (line, stream) => {
      const cut = line.length > maximumLine ? `${line.slice(0, maximumLine)}…` : line;
      append(cut);
      if (isEchoed || isWorthSeeing(cut, stream)) toTerminal(cut);
    },
    notice: (sentence) => {
      append(JSON.stringify({ level: warning, time: new Date().toISOString(), msg: sentence }));
      toTerminal(sentence);
    },
    lastLines: (count) => readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n"),
  };
}

/** Files that are being compressed. Another rotation leaves them alone. */
const compressing = new Set<string>();

/** If it fails, the file stays unchanged and the next rotation tries again. */
async function compress(file: string): Promise<void> {
  if (compressing.has(file)) return;
  compressing.add(file);
  try {
    await pipeline(
      createReadStream(file),
      createGzip(),
      createWriteStream(`${file}.part`, { mode: 0o600 }),
    );
    renameSync(`${file}.part`, `${file}.gz`);
    rmSync(file);
  } catch {
    rmSync(`${file}.part`, { force: true });
  } finally {
    compressing.delete(file);
  }
}

function isWorthSeeing(line: string, stream: "stdout" | "stderr"): boolean {
  if (line.trim() === "") return false;
  try {
    const { level } = JSON.parse(line) as { level?: unknown };
    return typeof level === "number" && level >= warning;
  } catch {
    return stream === "stderr";
  }
}
