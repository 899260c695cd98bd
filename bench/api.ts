import { randomBytes } from "node:crypto";
import { generateKey } from "@/lib/api-keys/key-format";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { createWebhook } from "@/lib/webhooks/service";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { type Driven, type DrivenRequest, drive, loadGenerator } from "./drive";
import { cpuMicroseconds, residentMegabytes } from "./processes";
import {
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  type Running,
  responds,
  type Sizes,
  seedConversations,
  seedCustomers,
  start,
  type Tenant,
} from "./setting";
import { atLeast, atMost, type Line, line, type Measured, type Row, say } from "./table";

// The API's hot operations against their floor and against Next's own server. Each round drives
// every server in turn, so that a machine whose speed drifts does so for all of them; the medians
// of the rounds are compared.

const tenants = 50;
/** Enough of them that messages do not wait for each other. */
const conversationsUsed = 500;
const addresses = 5_000;
const customersUsed = 500;
const externalId = (n: number) => `user-${n}`;

type Server = { name: string; port: number; command: string[]; environment?: Environment };

const servers: Server[] = [
  {
    name: "floor: node:http + pg, key looked up",
    port: 4_801,
    command: ["--import", "tsx", "bench/floor.ts"],
  },
  {
    name: "floor: node:http + pg, key cached",
    port: 4_802,
    command: ["--import", "tsx", "bench/floor.ts"],
    environment: { FLOOR_KEY: "cached" },
  },
  {
    name: "Parlance, server/web",
    port: 4_803,
    command: ["dist/web.js"],
    environment: { TRUSTED_PROXY_HOPS: "1" },
  },
  {
    name: "Parlance, served by Next",
    port: 4_804,
    command: ["--import", "tsx", "bench/next.ts"],
    environment: { TRUSTED_PROXY_HOPS: "1" },
  },
];
const [floorServer, , webServer, nextServer] = servers;

type Operation = {
  name: string;
  goal?: number;
  status: number;
  /** What to send in turn. `run` is another text each time. */
  requests: (run: string) => DrivenRequest[];
};

const conversations = "/v1/public/conversations";
const newConversation = JSON.stringify({ channelId: "web" });
const newMessage = JSON.stringify({
  text: "Where is my order? It should have been here yesterday.",
});
const p99Goal = 1.5;
const residentGoalMb = 200;

const from = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

function operationsOn(key: string, conversationId: (n: number) => string): Operation[] {
  const authorized = { authorization: `Bearer ${key}` };
  const post = (path: string, body: string, headers = {}): DrivenRequest => ({
    method: "POST",
    path,
    headers: { ...authorized, "content-type": "application/json", ...headers },
    body,
  });
  const get = (path: string, headers: Record<string, string> = authorized): DrivenRequest => ({
    method: "GET",
    path,
    headers,
  });
  const unknownKey = generateKey("live").key;
  return [
    {
      name: "list 20 conversations",
      goal: 1,
      status: 200,
      requests: () => [get(conversations)],
    },
    {
      name: "get one conversation",
      status: 200,
      requests: () => from(conversationsUsed, (n) => get(`${conversations}/${conversationId(n)}`)),
    },
    {
      name: "create a conversation",
      goal: 1,
      status: 201,
      requests: () => [post(conversations, newConversation)],
    },
    {
      name: "create, with an Idempotency-Key",
      goal: 0.9,
      status: 201,
      requests: (run) => [
        post(conversations, newConversation, { "idempotency-key": `${run}-{n}` }),
      ],
    },
    {
      name: "create, with a customer who exists",
      status: 201,
      requests: () =>
        from(customersUsed, (n) =>
          post(
            conversations,
            JSON.stringify({ channelId: "web", customer: { externalId: externalId(n) } }),
          ),
        ),
    },
    {
      name: "change a conversation",
      status: 200,
      // Each request has another subject than the one before to the same conversation.
      requests: (run) =>
        ["once", "again"].flatMap((time) =>
          from(conversationsUsed, (n) => ({
            ...post(
              `${conversations}/${conversationId(n)}`,
              JSON.stringify({ subject: `Parcel ${run} ${time}` }),
            ),
            method: "PATCH" as const,
          })),
        ),
    },
    {
      name: "post a message, one webhook subscribed",
      goal: 1,
      status: 201,
      requests: () =>
        from(conversationsUsed, (n) =>
          post(`${conversations}/${conversationId(n)}/messages`, newMessage),
        ),
    },
    {
      name: "post, all messages to one conversation",
      goal: 1,
      status: 201,
      requests: () => [post(`${conversations}/${conversationId(1)}/messages`, newMessage)],
    },
    {
      name: "idempotent replay",
      goal: 0.8,
      status: 201,
      requests: () => [post(conversations, newConversation, { "idempotency-key": "replay" })],
    },
    { name: "422, without a field", status: 422, requests: () => [post(conversations, "{}")] },
    {
      // From many addresses, because the number of invalid keys per address and minute is limited.
      name: "401, with an unknown key",
      status: 401,
      requests: () =>
        from(addresses, (n) =>
          get(conversations, {
            authorization: `Bearer ${unknownKey}`,
            "x-forwarded-for": `10.9.${n >> 8}.${n & 255}`,
          }),
        ),
    },
  ];
}

/** The medians of the rounds, and what the process has resident after them. */
type Medians = Driven & { cpu: number; residentMb: number };
type Results = Map<Server, Medians>;

/** @returns ours against the floor, and against Next's own server */
export const measureApi = (sizes: Sizes): Promise<Measured> =>
  withTemporaryPostgres(async (postgres) => {
    const environment = await prepareDatabase(postgres, "bench");
    const running = new Map<Server, Running>();
    try {
      const { tenant, operations } = await seed(sizes.conversations);
      for (const server of servers) {
        if (sizes.only && !server.name.includes(sizes.only)) continue;
        running.set(server, await startServer(server, environment, tenant.key));
      }
      const measured: Measured = { rows: [], lines: [] };
      let residentMb = 0;
      const wanted = sizes.operations?.split(",");
      for (const operation of operations) {
        if (wanted && !wanted.some((part) => operation.name.includes(part))) continue;
        const results = await measureOperation(operation, running, sizes);
        print(operation.name, results, sizes);
        measured.rows.push(...toRows(operation, results));
        measured.lines.push(...toLines(operation, results));
        residentMb = Math.max(residentMb, (webServer && results.get(webServer)?.residentMb) ?? 0);
      }
      if (residentMb > 0)
        measured.rows.push({
          name: "web resident under this load",
          figure: `${residentMb} MB`,
          ...atMost(residentMb, residentGoalMb, " MB"),
        });
      return measured;
    } finally {
      await Promise.all([...running.values()].map(({ stop }) => stop()));
      await closeDatabase();
    }
  });

/**
 * Conversations of fifty tenants. The key belongs to one of them, and its webhook subscribes to
 * messages.
 */
async function seed(count: number) {
  const perTenant = Math.max(Math.round(count / tenants), conversationsUsed);
  const all: Tenant[] = [];
  for (let index = 0; index < tenants; index++) all.push(await newTenant());
  let conversationId = (n: number) => String(n);
  for (const { partition } of all)
    conversationId = await seedConversations(partition.tenantId, perTenant);
  const tenant = all.at(-1);
  if (!tenant) throw new Error("there is no tenant");
  await mutate(system(tenant.partition), (caller) =>
    createWebhook(caller, {
      url: "http://127.0.0.1:9/",
      events: ["message.received"],
      metadata: {},
      description: null,
    }),
  );
  await seedCustomers(tenant.partition.tenantId, from(customersUsed, externalId));
  await db().$executeRaw`ANALYZE`;
  return { tenant, operations: operationsOn(tenant.key, conversationId) };
}

async function startServer(
  server: Server,
  environment: Environment,
  key: string,
): Promise<Running> {
  const { port, command } = server;
  const isUp = responds(`http://127.0.0.1:${port}${conversations}`, {
    authorization: `Bearer ${key}`,
  });
  return start(command, { ...environment, ...server.environment, PORT: String(port) }, isUp);
}

async function measureOperation(
  { status, requests }: Operation,
  running: Map<Server, Running>,
  { rounds, seconds, connections }: Sizes,
): Promise<Results> {
  const results = new Map<Server, (Driven & { cpu: number })[]>();
  // The first round warms up, and is not counted.
  for (let round = 0; round <= rounds; round++) {
    for (const [server, { pid }] of running) {
      const before = cpuMicroseconds(pid);
      const driven = await drive({
        requests: requests(randomBytes(6).toString("hex")),
        ...{ status, connections, port: server.port, seconds: round === 0 ? 1 : seconds },
      });
      const cpu = (cpuMicroseconds(pid) - before) / driven.count;
      if (round > 0) results.set(server, [...(results.get(server) ?? []), { ...driven, cpu }]);
    }
  }
  return new Map(
    [...running].map(([server, { pid }]) => {
      const all = results.get(server) ?? [];
      const of = (name: keyof (typeof all)[number]) => median(all.map((one) => one[name]));
      return [
        server,
        {
          ...{ rate: of("rate"), count: of("count"), p50Ms: of("p50Ms"), p99Ms: of("p99Ms") },
          ...{ generatorShare: of("generatorShare"), cpu: of("cpu") },
          residentMb: residentMegabytes(pid),
        },
      ];
    }),
  );
}

function print(title: string, results: Results, { rounds, seconds, connections }: Sizes): void {
  const [floor] = results.values();
  say(`\n${title} (${connections} connections, ${rounds} rounds of ${seconds} s)`);
  for (const [{ name }, { rate, p50Ms, p99Ms, cpu, generatorShare }] of results) {
    const columns = [
      `${rate.toFixed(0).padStart(7)}/s`,
      `ratio ${(rate / (floor?.rate ?? rate)).toFixed(2)}`,
      `p50 ${p50Ms.toFixed(1)} ms`,
      `p99 ${p99Ms.toFixed(1)} ms`,
      `${cpu.toFixed(0)} µs of CPU per request`,
      `${loadGenerator} ${(generatorShare * 100).toFixed(0)} % of a core`,
    ];
    say(`  ${name.padEnd(40)} ${columns.join("  ")}`);
  }
}

function toLines({ name }: Operation, results: Results): Line[] {
  const floor = floorServer && results.get(floorServer);
  return [...results].map(([server, { rate, p50Ms, p99Ms, cpu, residentMb }]) =>
    line(name, server.name, {
      ...{ perSecond: rate, p50Ms, p99Ms, cpuMicroseconds: cpu, residentMb },
      ratioToFloor: floor ? rate / floor.rate : null,
    }),
  );
}

function toRows({ name, goal }: Operation, results: Results): Row[] {
  const [floor, web, next] = [floorServer, webServer, nextServer].map(
    (server) => server && results.get(server),
  );
  if (!floor || !web || !next) return [];
  const [ratio, p99Ratio] = [web.rate / floor.rate, web.p99Ms / floor.p99Ms];
  const figure = `${web.rate.toFixed(0)}/s`;
  return [
    { name: `${name}, to the floor`, figure, ratio, ...atLeast(ratio, goal) },
    {
      name: `${name}, p99 to the floor's`,
      figure: `${web.p99Ms.toFixed(1)} ms`,
      ratio: p99Ratio,
      ...atMost(p99Ratio, p99Goal),
    },
    { name: `${name}, to the same served by Next`, figure, ratio: web.rate / next.rate },
  ];
}
