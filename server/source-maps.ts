import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

// Makes stack traces name the TypeScript sources. `node --enable-source-maps` does the same, but
// reads and keeps the map of every module that it loads. Here a map is read for the first trace.

const bundles = new URL(".", import.meta.url).href;
const maps = new Map<string, SourceMap | null>();

Error.prepareStackTrace = (error, frames) => {
  const nameOf = isNeverShown(error) ? String : named;
  return [headOf(error), ...frames.map((frame) => `    at ${nameOf(frame)}`)].join("\n");
};

/**
 * undici ends each idle connection with such an error, whose trace nobody but Node reads. For that
 * alone, a worker would keep the largest map in memory.
 */
const isNeverShown = (error: Error): boolean =>
  (error as { code?: unknown }).code === "UND_ERR_INFO";

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return "Error";
  }
}

function named(frame: NodeJS.CallSite): string {
  const text = String(frame);
  const file = frame.getFileName();
  const [line, column] = [frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith(bundles) || line === null || column === null) return text;
  const entry = mapOf(file)?.findEntry(line - 1, column - 1);
  if (!entry || !("originalSource" in entry)) return text;
  const { originalSource, originalLine, originalColumn } = entry;
  const source = new URL(originalSource, file).href;
  return text.replace(
    `${file}:${line}:${column}`,
    `${source}:${originalLine + 1}:${originalColumn + 1}`,
  );
}

function mapOf(file: string): SourceMap | null {
  const known = maps.get(file);
  if (known !== undefined) return known;
  const path = fileURLToPath(`${file}.map`);
  const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null;
  maps.set(file, map);
  return map;
}
