// `npm run bench`: what the product costs, compared with a baseline in the same run. Rates
// vary from machine to machine and from hour to hour; the ratios are stable.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { measureApi } from "./api";
import { measureDeliveries } from "./deliveries";
import { measureFlat } from "./flat";
import { measurePeers } from "./peers";
import { measurePublishing } from "./publish";
import type { Sizes } from "./setting";
import { measureStart } from "./start-up";
import { type Measured, printLines, printRows } from "./table";

const { values } = parseArgs({
  options: {
    /** A short run, to see that everything works. Its figures are not worth comparing. */
    quick: { type: "boolean", default: false },
    /** One line of JSON per row and variant on standard output. */
    json: { type: "boolean", default: false },
    /** Also compares with other products, which are installed for that. */
    peers: { type: "boolean", default: false },
    parts: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    connections: { type: "string", default: "32" },
    conversations: { type: "string" },
    deliveries: { type: "string" },
    large: { type: "string" },
    /** Of the API: servers and operations with this in their name. */
    only: { type: "string" },
    operations: { type: "string" },
  },
});

const size = (given: string | undefined, full: number, quick: number) =>
  Number(given ?? (values.quick ? quick : full));

const sizes: Sizes = {
  rounds: size(values.rounds, 5, 1),
  seconds: size(values.seconds, 3, 1),
  connections: Number(values.connections),
  conversations: size(values.conversations, 50_000, 25_000),
  deliveries: size(values.deliveries, 10_000, 2_000),
  large: size(values.large, 1_000_000, 20_000),
  only: values.only,
  operations: values.operations,
};

const parts: Record<string, (sizes: Sizes) => Promise<Measured>> = {
  api: measureApi,
  deliveries: measureDeliveries,
  publish: measurePublishing,
  start: measureStart,
  flat: measureFlat,
  ...(values.peers && { peers: measurePeers }),
};
const chosen = values.parts?.split(",") ?? Object.keys(parts);

if (process.send) process.send(await parts[chosen[0] ?? ""]?.(sizes));
else {
  const measured: Measured[] = [];
  for (const part of chosen) measured.push(await runPart(part));
  if (values.json) printLines(measured.flatMap(({ lines }) => lines));
  else printRows(measured.flatMap(({ rows }) => rows));
}

/** Each part runs in its own process, with its own databases and one environment. */
async function runPart(part: string): Promise<Measured> {
  if (!parts[part]) throw new Error(`there is no part ${part}: ${Object.keys(parts).join(", ")}`);
  const child = fork("bench/run.ts", [...process.argv.slice(2), "--parts", part], {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, LOG_LEVEL: "error" },
  });
  const [measured] = await Promise.race([once(child, "message"), once(child, "exit")]);
  if (typeof measured !== "object") throw new Error(`${part} failed`);
  return measured as Measured;
}
