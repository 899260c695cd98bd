// The entry point of the container image. It needs no shell, and becomes the program itself:
//
//   web | worker | migrate | admin <command> … | start | health

import path from "node:path";
import { pathToFileURL } from "node:url";

const programs = {
  web: ["dist/web.js"],
  worker: ["dist/worker.js"],
  migrate: ["dist/admin.js", "migrate"],
  admin: ["dist/admin.js"],
  // Web and worker in one container, after the migrations.
  start: ["dist/start.js"],
};

const [name = "", ...rest] = process.argv.slice(2);
const program = programs[/** @type {keyof typeof programs} */ (name)];
if (program) {
  const [file = "", ...first] = program;
  const module = path.resolve(file);
  process.argv = [process.argv[0] ?? "node", module, ...first, ...rest];
  await import(pathToFileURL(module).href);
} else if (name === "health") {
  process.exitCode = (await isHealthy()) ? 0 : 1;
} else {
  process.stderr.write(
    `There is no program "${name}". Programs: ${[...Object.keys(programs), "health"].join(", ")}.\n`,
  );
  process.exitCode = 2;
}

/** Web and worker have the same probe on the port of their metrics. */
async function isHealthy() {
  const url = `http://127.0.0.1:${process.env.METRICS_PORT}/health`;
  const response = await fetch(url, { signal: AbortSignal.timeout(3_000) }).catch(() => null);
  return response?.ok === true;
}
