import type { LogFile } from "@/server/embedded/log-file";

/** A log that keeps its lines and notices in memory. */
export function listedLog() {
  const lines: string[] = [];
  const notices: string[] = [];
  const log: LogFile = {
    path: "",
    write: (line) => lines.push(line),
    notice: (sentence) => notices.push(sentence),
    lastLines: () => "",
  };
  return { lines, notices, log };
}
