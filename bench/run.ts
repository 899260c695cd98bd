// `npm run bench`: what the product costs, compared with a baseline in the same run. Rates
// vary from machine to machine and from hour to hour; the ratios are stable.
import { fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { type Postgres, withTemporaryPostgres } from "@/server/embedded/postgres";
import { measureApi } from "./api";
import { measureDeliveries } from "./deliveries";
import { measureFlat } from "./flat";
import type { Row } from "./setting";

const { values } = parseArgs({
  options: {
    parts: { type: "string", default: "api,deliveries,flat" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "32" },
    conversations: { type: "string", default: "50000" },
    deliveries: { type: "string", default: "10000" },
    large: { type: "string", default: "1000000" },
    only: { type: "string" },
  },
});
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];

const parts: Record<string, (postgres: Postgres) => Promise<Row[]>> = {
  api: (postgres) =>
    measureApi(postgres, {
      ...{ rounds, seconds, connections: Number(values.connections) },
      ...{ conversations: Number(values.conversations), only: values.only },
    }),
  deliveries: (postgres) =>
    measureDeliveries(postgres, { rounds, deliveries: Number(values.deliveries) }),
  flat: (postgres) =>
    measureFlat(postgres, { rounds, seconds, conversations: Number(values.large) }),
};

if (process.send)
  process.send(
    await withTemporaryPostgres(async (postgres) => (await parts[values.parts]?.(postgres)) ?? []),
  );
else {
  const rows: Row[] = [];
  for (const part of values.parts.split(",")) rows.push(...(await runPart(part)));
  print(rows);
}

/** Each part runs in its own process, with one database and one environment. */
async function runPart(part: string): Promise<Row[]> {
  const child = fork("bench/run.ts", [...process.argv.slice(2), "--parts", part], {
    execArgv: ["--import", "tsx"],
  });
  const [rows] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [
    Row[] | number,
  ];
  if (!Array.isArray(rows)) throw new Error(`${part} failed`);
  return rows;
}

function print(rows: Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  process.stdout.write("\n");
  for (const { name, figure, ratio, goal, isMet } of rows) {
    const columns = [
      name.padEnd(width),
      figure.padStart(10),
      (ratio?.toFixed(2) ?? "").padStart(6),
      goal?.padEnd(9) ?? "",
    ];
    process.stdout.write(
      `${columns.join("  ")}${isMet === undefined ? "" : isMet ? "  met" : "  NOT met"}\n`,
    );
  }
}
