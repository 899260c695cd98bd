// cspell:ignore pageinspect
import { randomBytes } from "node:crypto";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { writeWordsStatement } from "@/lib/conversations/search-index.sql";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { grantApplicationRole } from "@/prisma/roles";
import { call, newTenant, type TestTenant } from "../support/api";
import { searchFindsAll } from "../support/search";

// PostgreSQL collects the words of new entries in a list that every search reads, and the job
// empties it.

beforeAll(() => pool().query("CREATE EXTENSION IF NOT EXISTS pageinspect"));

async function pagesOfList(): Promise<number> {
  const { rows } = await pool().query<{ pages: string }>(
    "SELECT n_pending_pages AS pages FROM gin_metapage_info(get_raw_page('search_entries_words_idx', 0))",
  );
  return Number(rows[0]?.pages);
}

async function post(tenant: TestTenant, texts: string[]): Promise<void> {
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  for (const text of texts)
    await call(tenant, "POST", `/conversations/${body.id}/messages`, { text });
}

const found = async (tenant: TestTenant, q: string): Promise<number> =>
  (await call(tenant, "GET", `/conversations/search?q=${q}`)).body.data.length;

/** Entries that the job did not write, in the index's list. */
const copyEntries = (tenant: TestTenant) =>
  pool().query(
    `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
     SELECT tenant_id, environment, conversation_id || '~', message_id, segment_id, header, ' copied' || text
     FROM search_entries WHERE tenant_id = $1`,
    [tenant.tenantId],
  );

test("a batch leaves no words in the list of the index, not even those of others", async () => {
  const tenant = await newTenant();
  await post(tenant, ["First words", "Second words"]);
  await searchFindsAll();
  expect(await pagesOfList()).toBe(0);

  await copyEntries(tenant);
  expect(await pagesOfList()).toBeGreaterThan(0);

  await post(tenant, ["Third words"]);
  await searchFindsAll();
  expect(await pagesOfList()).toBe(0);
  expect(await found(tenant, "third")).toBe(1);
});

test("words in the list are found, and the list does not grow beyond 64 KiB", async () => {
  const tenant = await newTenant();
  await post(tenant, ["Listed"]);
  await searchFindsAll();
  for (let round = 0; round < 5; round++) {
    await pool().query(
      `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
       SELECT tenant_id, environment, conversation_id, 'msg_${round}_' || n, segment_id, header, ' waiting round${round}x' || n
       FROM search_entries, generate_series(1, 500) n WHERE tenant_id = $1 AND text = ' listed'`,
      [tenant.tenantId],
    );
    const pages = await pagesOfList();
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThanOrEqual(9);
    for (const word of [`round${round}x1`, `round${round}x500`, "round0x250"])
      expect(await found(tenant, word)).toBe(1);
  }
  expect(await found(tenant, "round5x1")).toBe(0);
  await pool().query(writeWordsStatement({}).text);
  expect(await pagesOfList()).toBe(0);
});

test("the application's role empties the list, and other roles cannot", async () => {
  const connect = async (grant: boolean) => {
    const address = new URL(env().DATABASE_URL);
    address.username = `app_${randomBytes(6).toString("hex")}`;
    address.password = randomBytes(12).toString("hex");
    if (grant)
      await grantApplicationRole(env().DATABASE_URL, address.href, { password: address.password });
    else await pool().query(`CREATE ROLE ${address.username} LOGIN PASSWORD '${address.password}'`);
    const client = new pg.Client({ connectionString: address.href });
    await client.connect();
    return client;
  };
  const { text } = writeWordsStatement({});

  const application = await connect(true);
  const stranger = await connect(false);
  try {
    // A table of the caller must not take the place of the real one.
    await application.query("CREATE TEMP TABLE search_entries_words_idx (id text)");
    await application.query(text);
    const directly = "SELECT gin_clean_pending_list('public.search_entries_words_idx')";
    await expect(application.query(directly)).rejects.toMatchObject({ code: "42501" });
    await expect(stranger.query(text)).rejects.toMatchObject({ code: "42501" });
  } finally {
    await Promise.all([application.end(), stranger.end()]);
  }
});
