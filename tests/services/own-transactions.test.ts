import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { toProblem } from "@/lib/api/problem";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { maximumTransactions, mutate, type Partition, system } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { countWaiting, watch } from "../support/locks";
import { newPartition } from "../support/webhooks";

// Transactions that wait for the locks of one organization leave connections to the others.

// A statement that waits for a lock must not go on without it, so that the tests find it waiting.
databaseWaits.lock = 120_000;
databaseWaits.transaction = 120_000;
process.env.DATABASE_STATEMENT_TIMEOUT_MS = "60000";

const others: pg.Client[] = [];
afterAll(() => Promise.all(others.map((client) => client.end())));

async function newConversation(partition: Partition): Promise<string> {
  const body = createConversationBody.parse({ channelId: "web" });
  return (await mutate(system(partition), (caller) => createConversation(caller, body))).id;
}

const tag = (partition: Partition, id: string, name: string) =>
  mutate(system(partition), (caller) => updateConversation(caller, id, { addTags: [name] }));

/** Locks a conversation of a new organization that then changes it once for each connection. */
async function waitForLocked() {
  const partition = await newPartition();
  const id = await newConversation(partition);
  const client = new pg.Client({ connectionString: env().DATABASE_URL });
  others.push(client);
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT FROM conversations WHERE id = $1 FOR UPDATE", [id]);
  const changes = Array.from({ length: pool().options.max }, (_, index) =>
    tag(partition, id, `tag ${index}`),
  );
  const states = changes.map(watch);
  const results = Promise.allSettled(changes);
  await expect.poll(() => countWaiting(pool()), { timeout: 60_000 }).toBe(maximumTransactions());
  return { partition, id, states, results, release: () => client.query("COMMIT") };
}

test("changes of a locked conversation take half of the connections, and then all are made", async () => {
  const { partition, id, states, results, release } = await waitForLocked();
  const other = await newPartition();
  const otherId = await newConversation(other);
  for (const name of ["one", "two"]) expect((await tag(other, otherId, name)).tags).toContain(name);
  expect(await countWaiting(pool())).toBe(maximumTransactions());
  expect(states.every(({ hasSettled }) => !hasSettled)).toBe(true);

  await release();
  const made = await results;
  expect(made.every(({ status }) => status === "fulfilled")).toBe(true);
  expect((await tag(partition, id, "last")).tags).toHaveLength(made.length + 1);
});

test("a change that waits too long for the others of its organization is a 503, and is not made", async () => {
  const { freeConnection } = databaseWaits;
  databaseWaits.freeConnection = 200;
  const { partition, id, states, results, release } = await waitForLocked();
  databaseWaits.freeConnection = freeConnection;
  const refusedCount = states.length - maximumTransactions();
  // The others still wait.
  await expect
    .poll(() => states.filter(({ hasSettled }) => hasSettled).length, { timeout: 60_000 })
    .toBe(refusedCount);
  await release();
  const settled = await results;

  const refused = settled.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  expect(refused).toHaveLength(refusedCount);
  for (const error of refused) {
    const problem = toProblem(error, "/v1/public/conversations", "req_1");
    expect(problem).toMatchObject({ status: 503, headers: { "Retry-After": "1" } });
  }
  const { tags } = await tag(partition, id, "last");
  expect(tags).toHaveLength(maximumTransactions() + 1);
});

test("the pages and the API of one process share the limit", async () => {
  const { partition, id, results, release } = await waitForLocked();
  // As Next's bundle does.
  vi.resetModules();
  const { mutate: mutateInPage } = await import("@/lib/platform/caller");
  const further = mutateInPage(system(partition), (caller) =>
    updateConversation(caller, id, { addTags: ["further"] }),
  );
  const state = watch(further);
  const other = await newPartition();
  expect((await tag(other, await newConversation(other), "one")).tags).toContain("one");
  expect(await countWaiting(pool())).toBe(maximumTransactions());
  expect(state.hasSettled).toBe(false);
  await release();
  expect((await results).every(({ status }) => status === "fulfilled")).toBe(true);
  await further;
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [5, 3],
  [12, 6],
])("of %i connections, one organization uses up to %i", (connections, most) => {
  const { DATABASE_POOL_SIZE } = env();
  env().DATABASE_POOL_SIZE = connections;
  expect(maximumTransactions()).toBe(most);
  env().DATABASE_POOL_SIZE = DATABASE_POOL_SIZE;
});
