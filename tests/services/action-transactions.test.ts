import { setImmediate } from "node:timers/promises";
import { encode } from "next-auth/jwt";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { authSecret } from "@/lib/auth/auth-secret";
import { db, pool } from "@/lib/platform/db";
import { lockAccount } from "@/lib/resources/lock-row";
import { revokeSessions } from "@/lib/sessions/service";
import { formOf, newBrowser } from "../support/browser";
import { hasWaiting } from "../support/locks";
import { newOrganization, newSession } from "../support/people";
import { type RunningProcess, startWeb } from "../support/processes";

// Through the built product: what server actions do in PostgreSQL.

let web: RunningProcess & { url: string };
const observer = new pg.Client({ connectionString: inject("postgres").url });
beforeAll(async () => {
  web = await startWeb();
  await observer.connect();
  await observer.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
});
afterAll(async () => {
  await web?.end();
  await observer.end();
});

async function beginsSoFar(): Promise<number> {
  const { rows } = await pool().query("SELECT current_database() AS name");
  const { rows: counted } = await observer.query<{ calls: number }>(
    `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE datname = $1 AND query LIKE 'BEGIN%'`,
    [rows[0].name],
  );
  return counted[0]?.calls ?? 0;
}

async function signedIn() {
  const { owner, tenant } = await newOrganization();
  const { id: sessionId } = await newSession(owner.id);
  const browser = newBrowser({ url: web.url });
  browser.cookies.set(
    "next-auth.session-token",
    await encode({ token: { sessionId }, secret: authSecret() }),
  );
  return { browser, owner, tenant, place: { tenant: tenant.slug, environment: "test" } };
}

test.each([
  ["createCustomerAction", formOf({ name: "Grace" }), { outcome: "done" }, 1],
  ["findCustomersAction", "Grace", { outcome: "done", value: [] }, 0],
] as const)(
  "%s opens a transaction only if it changes something",
  async (action, input, value, transactions) => {
    const { browser, tenant, place } = await signedIn();
    const before = await beginsSoFar();

    const result = await browser.act(`/${tenant.slug}/test/customers`, action, place, input);

    expect(result).toMatchObject({ status: 200, value });
    expect((await beginsSoFar()) - before).toBe(transactions);
  },
);

test("an action is refused if its session ends while it waits for the organization", async () => {
  const { browser, owner, tenant, place } = await signedIn();
  const isWaiting = () => hasWaiting(pool(), "%FROM tenants%FOR NO KEY UPDATE");

  let renaming: Promise<unknown> | undefined;
  await db().$transaction(async (transaction) => {
    await lockAccount({ db: transaction }, { tenantId: tenant.id });
    const path = `/${tenant.slug}/test/settings`;
    renaming = browser.act(path, "renameOrganizationAction", place, "Another name");
    while (!(await isWaiting())) await setImmediate();
    await revokeSessions(transaction, owner.id);
  });

  expect(await renaming).toMatchObject({
    value: { outcome: "refused", message: "Your session has ended. Sign in again." },
  });
  expect(await db().tenant.findUniqueOrThrow({ where: { id: tenant.id } })).toMatchObject({
    name: tenant.name,
  });
});
