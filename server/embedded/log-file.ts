import { appendFileSync, readFileSync, renameSync, statSync } from "node:fs";
import { inDataDirectory } from "./data-directory";

export type LogFile = {
  path: string;
  /** One line of a process: into the file, and to the terminal when it is a warning or worse, or an error that is no JSON. */
  write: (line: string, stream: "stdout" | "stderr") => void;
  /** A sentence of the supervisor about that process: to both. */
  notice: (sentence: string) => void;
  lastLines: (count: number) => string;
};

/** Past this size a file is set aside as `<name>.log.1`, in place of the one before. */
const maximumBytes = 50 * 1024 * 1024;
const warning = 40;

export function logFile(name: string, { isEchoed = false } = {}): LogFile {
  const path = inDataDirectory("logs", `${name}.log`);
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;

  const append = (line: string) => {
    try {
      if (bytes > maximumBytes) {
        renameSync(path, `${path}.1`);
        bytes = 0;
      }
      appendFileSync(path, `${line}\n`, { mode: 0o600 });
      bytes += Buffer.byteLength(line) + 1;
    } catch {
      // A full disk must not end what is running well; warnings still reach the terminal.
    }
  };
  const toTerminal = (text: string) => process.stderr.write(`[${name}] ${text}\n`);

  return {
    path,
    write: (line, stream) => {
      append(line);
      if (isEchoed || isWorthSeeing(line, stream)) toTerminal(line);
    },
    notice: (sentence) => {
      append(JSON.stringify({ level: warning, time: new Date().toISOString(), msg: sentence }));
      toTerminal(sentence);
    },
    lastLines: (count) => readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n"),
  };
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
