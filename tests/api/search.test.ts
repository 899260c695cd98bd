// cspell:disable: words of many languages, most of them misspelled on purpose
import { beforeAll, describe, expect, test } from "vitest";
import { indexForSearch } from "@/lib/conversations/search-index";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { db } from "@/lib/platform/db";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { newMember } from "../support/people";
import { searchFindsAll } from "../support/search";

type Highlight = { field: string; messageId?: string; text: string; ranges: [number, number][] };
type Found = { conversation: { id: string }; highlights: Highlight[]; score: number };

const open = async (tenant: TestTenant, body: object = {}): Promise<string> =>
  (await call(tenant, "POST", "/conversations", { channelId: "web", ...body })).body.id;
const post = async (tenant: TestTenant, id: string, text: string): Promise<string> =>
  (await call(tenant, "POST", `/conversations/${id}/messages`, { text })).body.id;

const search = (tenant: TestTenant, q: string, query: Record<string, string> = {}) =>
  call(tenant, "GET", `/conversations/search?${new URLSearchParams({ q, ...query })}`);
const find = async (tenant: TestTenant, q: string, query: Record<string, string> = {}) => {
  const { status, body } = await search(tenant, q, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data as Found[];
};
const idsOf = (found: Found[]) => found.map(({ conversation }) => conversation.id);
const hitsIn = ({ text, ranges }: Highlight) =>
  ranges.map(([start, end]) => text.slice(start, end));

describe("200 with the conversations that have the words", () => {
  let tenant: TestTenant;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    tenant = await newTenant();
    const texts: Record<string, string> = {
      french: "Où est ma commande n° 4411 ? Le café était FERMÉ.",
      german: "Die Straße nach Łódź ist gesperrt, Herr Ångström. It’s don't-care.",
      hebrew: "שָׁלוֹם עולם, איפה ההזמנה שלי?",
      arabic: "أين طلبي رقم ٤٤١١؟ مُحَمَّد",
      chinese: "我的订单在哪里?东京站 order-77",
      japanese: "ガイドはどこですか。ﾊﾝｶｸ",
      thai: "คำสั่งซื้อของฉันอยู่ที่ไหน",
      korean: "한국어로 도와주세요",
      cyrillic: "Где мой ЗАКАЗ?",
      marked: "50% off_now <b>bold</b> | '#1' \\ & !x:*",
    };
    for (const [name, message] of Object.entries(texts))
      ids[name] = await open(tenant, { message });
    ids.subject = await open(tenant, { subject: "Réfund for Zoë", message: "Please help quickly" });
    ids.customer = await open(tenant, {
      message: "Hello there",
      customer: {
        name: "Maren Voß",
        email: "maren@voss-optik.de",
        phone: "+493012345678",
        externalId: "user_8412",
      },
    });
    ids.empty = await open(tenant, { subject: "Nothing written" });
    await searchFindsAll();
  });

  test.each([
    ["a word", "commande", "french"],
    ["the start of a word", "comm", "french"],
    ["words in any order", "4411 commande", "french"],
    ["without accents", "ou etait ferme cafe", "french"],
    ["with other accents and case", "CAFÈ férme", "french"],
    ["ß as ss", "strasse", "german"],
    ["ss as ß", "voß", "customer"],
    ["Ł as l", "lodz", "german"],
    ["å as a", "angstrom", "german"],
    ["an apostrophe", "don't", "german"],
    ["Hebrew without its points", "שלום", "hebrew"],
    ["the start of a Hebrew word", "ההזמ", "hebrew"],
    ["Arabic without vowels and hamza", "اين محمد", "arabic"],
    ["Arabic digits", "٤٤١١", "arabic"],
    ["Chinese in the middle of a sentence", "订单", "chinese"],
    ["one Chinese character", "京", "chinese"],
    ["Chinese and Latin words", "东京 order", "chinese"],
    ["Japanese", "どこ", "japanese"],
    ["half-width katakana in full width", "ハンカク", "japanese"],
    ["Thai", "สั่งซื้อ", "thai"],
    ["the start of a Korean word", "도와", "korean"],
    ["Cyrillic in another case", "заказ", "cyrillic"],
    ["signs between words", "off_now", "marked"],
    ["signs of PostgreSQL's query language", "bold & !x", "marked"],
    ["a phrase", '"est ma commande"', "french"],
    ["a phrase without accents and case", '"le cafe ETAIT ferme"', "french"],
    ["a phrase in typographic quotation marks", "“est ma commande”", "french"],
    ["a phrase and a word", '"ma commande" cafe', "french"],
    ["the subject", "refund zoe", "subject"],
    ["subject and message together", "refund help", "subject"],
    ["a subject without a message", "nothing", "empty"],
    ["the customer's name", "maren", "customer"],
    ["the customer's email address", "maren@voss-optik.de", "customer"],
    ["a part of the email address", "optik", "customer"],
    ["the customer's phone number", "+49 30 1234", "customer"],
    ["the phone number without the country", "030 12345678", "customer"],
    ["the customer's externalId", "user_8412", "customer"],
    ["customer and message together", "maren hello", "customer"],
  ])("by %s", async (_what, q, name) => {
    expect(idsOf(await find(tenant, q))).toEqual([ids[name]]);
    expect(idsOf(await find(tenant, q, { sort: "newest" }))).toEqual([ids[name]]);
    // Few conversations match the filter, so their entries are read instead of the index.
    expect(idsOf(await find(tenant, q, { channelId: "web" }))).toEqual([ids[name]]);
  });

  test.each([
    ["the middle of a word", "mmande"],
    ["one word of two", "commande nowhere"],
    ["words of two messages", "commande strasse"],
    ["a phrase in another order", '"commande ma"'],
    ["a phrase with words between", '"est commande"'],
    ["a phrase that ends inside a word", '"est ma comm"'],
    ["a phrase over two fields", '"voss maren"'],
    ["Chinese characters that are not next to each other", "订在"],
    ["a bar", '"a | b"'],
  ])("and none by %s", async (_what, q) => {
    expect(await find(tenant, q)).toEqual([]);
    expect(await find(tenant, q, { channelId: "web" })).toEqual([]);
  });
});

test("200 with plain text and ranges in UTF-16 code units, of messages, subject and customer", async () => {
  const tenant = await newTenant();
  const id = await open(tenant, {
    subject: "Café 🎉 & <Order>",
    customer: { name: "Ada Order", email: "order@example.com", phone: "+493012345678" },
  });
  const first = await post(tenant, id, "🎉🎉 The örder, the ORDERS and the border");
  const second = await post(tenant, id, `${"x ".repeat(400)}my order${" y".repeat(400)}`);
  await post(tenant, id, "Nothing to see");
  await searchFindsAll();

  const [found] = await find(tenant, "order");
  const highlights = found?.highlights ?? [];
  expect(highlights.map((each) => [each.field, each.messageId, hitsIn(each)])).toEqual([
    ["subject", undefined, ["Order"]],
    ["customer.name", undefined, ["Order"]],
    ["customer.email", undefined, ["order"]],
    ["message", second, ["order"]],
    ["message", first, ["örder", "ORDERS"]],
  ]);
  expect(highlights[0]).toEqual({
    field: "subject",
    text: "Café 🎉 & <Order>",
    ranges: [[11, 16]],
  });
  const excerpt = highlights[3]?.text ?? "";
  expect(excerpt.length).toBeLessThan(300);
  expect(excerpt).toMatch(/^…x .*my order y .*…$/);

  const [phrase] = await find(tenant, '"the orders" 🎉');
  expect(phrase?.highlights.map(hitsIn)).toEqual([["the ORDERS"]]);
  const [phone] = await find(tenant, "030 123");
  expect(phone?.highlights).toEqual([
    { field: "customer.phone", text: "+493012345678", ranges: [[0, 13]] },
  ]);
});

test("200 with an excerpt of at most 1,000 characters for a very long word", async () => {
  const tenant = await newTenant();
  await open(tenant, { message: `${"🎉".repeat(100)} ${"y".repeat(9_000)}` });
  await searchFindsAll();
  const [found] = await find(tenant, "yyyy");
  const [highlight] = found?.highlights ?? [];
  expect(highlight?.text.length).toBeLessThanOrEqual(1_000);
  expect(highlight && hitsIn(highlight)).toEqual([expect.stringMatching(/^y{800,}$/)]);
});

test("200 ranks whole words, words together, subject and customer first; newest by creation", async () => {
  const tenant = await newTenant();
  const prefix = await open(tenant, { message: "refunded and orders" });
  const apart = await open(tenant, { message: "order: please refund" });
  const together = await open(tenant, { message: "please refund order" });
  const subject = await open(tenant, { subject: "refund order", message: "hi" });
  const newer = await open(tenant, { message: "please refund order" });
  await searchFindsAll();

  const ranked = await find(tenant, "refund order");
  expect(idsOf(ranked)).toEqual([subject, newer, together, apart, prefix]);
  const scores = ranked.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(scores[0]).toBe(1);
  expect(idsOf(await find(tenant, "refund order", { sort: "newest" }))).toEqual([
    newer,
    subject,
    together,
    apart,
    prefix,
  ]);
});

test("200 combines with every filter of the list, however many conversations the filter has", async () => {
  const tenant = await newTenant();
  const { id: assigneeId } = await newMember(tenant.tenantId, "MEMBER");
  const wanted = await open(tenant, {
    channelId: "mail",
    message: "order",
    tags: ["vip"],
    metadata: { plan: "gold" },
    externalId: "x-1",
    customer: { externalId: "c-1" },
  });
  const { body } = await call(tenant, "PATCH", `/conversations/${wanted}`, {
    status: "PENDING",
    assigneeId,
  });
  await open(tenant, { message: "order" });
  await searchFindsAll();

  const filters = {
    status: "PENDING,CLOSED",
    channelId: "mail",
    customerId: body.customerId,
    assigneeId,
    externalId: "x-1",
    tag: "vip",
    "metadata[plan]": "gold",
    updatedSince: body.createdAt,
  };
  for (const [name, value] of Object.entries(filters)) {
    if (name === "updatedSince") continue;
    expect([name, idsOf(await find(tenant, "order", { [name]: value }))]).toEqual([name, [wanted]]);
  }
  expect(idsOf(await find(tenant, "order", filters))).toEqual([wanted]);
  expect(await find(tenant, "order", { ...filters, tag: "other" })).toEqual([]);
  expect(await find(tenant, "invoice", filters)).toEqual([]);
});

test("200 with nothing of another tenant or environment", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  const live = await newKey(tenant, { environment: "live" });
  const id = await open(tenant, { subject: "secret", message: "secret order" });
  const theirs = await open(stranger, { message: "secret order" });
  const ours = await open(live, { message: "secret order" });
  await searchFindsAll();

  expect(idsOf(await find(tenant, "secret"))).toEqual([id]);
  expect(idsOf(await find(stranger, "secret"))).toEqual([theirs]);
  expect(idsOf(await find(live, "secret"))).toEqual([ours]);
  const own = (await search(tenant, "secret", { sort: "newest", limit: "1" })).body;
  expect(own.nextCursor).toBeUndefined();
  expect((await search(tenant, "secret", { sort: "newest", cursor: theirs })).status).toBe(422);
});

test.each(["ranked", "newest"])(
  "200 pages by %s have every conversation once, while messages and conversations arrive",
  async (sort) => {
    const tenant = await newTenant();
    const ids: string[] = [];
    for (let index = 0; index < 23; index++)
      ids.push(
        await open(tenant, index % 3 === 0 ? { subject: "order" } : { message: "my order please" }),
      );
    await searchFindsAll();

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await search(tenant, "order", {
        sort,
        limit: "4",
        ...(cursor && { cursor }),
      });
      seen.push(...idsOf(body.data));
      cursor = body.nextCursor;
      await open(tenant, { subject: "order", message: "order" });
      // A better match in a conversation that was already listed.
      await post(tenant, seen[0] ?? "", "order");
      await post(tenant, seen.at(-1) ?? "", "order order");
      await searchFindsAll();
    } while (cursor);
    expect(seen.toSorted()).toEqual(ids);
  },
);

test("200 follows changes of subject and customer, redacted text and deleted messages", async () => {
  const tenant = await newTenant();
  const customer = (
    await call(tenant, "POST", "/customers", { name: "Ada Byron", externalId: "c-1" })
  ).body.id;
  const id = await open(tenant, { subject: "Old subject", message: "first words" });
  const second = await post(tenant, id, "second words");
  await searchFindsAll();
  expect(idsOf(await find(tenant, "old first"))).toEqual([id]);

  await call(tenant, "PATCH", `/conversations/${id}`, {
    subject: "New subject",
    customerId: customer,
  });
  await searchFindsAll();
  expect(await find(tenant, "old")).toEqual([]);
  expect(idsOf(await find(tenant, "new second byron"))).toEqual([id]);

  await call(tenant, "PATCH", `/customers/${customer}`, { name: "Ada Lovelace" });
  await searchFindsAll();
  expect(await find(tenant, "byron")).toEqual([]);
  expect(idsOf(await find(tenant, "lovelace second"))).toEqual([id]);

  const where = { tenantId_environment_id: { ...tenant.identity.partition, id: second } };
  await db().message.update({ where, data: { text: "" } });
  expect(await find(tenant, "second")).toEqual([]);
  await db().message.delete({ where });
  await call(tenant, "PATCH", `/conversations/${id}`, { subject: null, customerId: null });
  await searchFindsAll();
  expect(await find(tenant, "subject")).toEqual([]);
  expect(idsOf(await find(tenant, "first"))).toEqual([id]);

  await db().conversation.delete({
    where: { tenantId_environment_id: { ...tenant.identity.partition, id } },
  });
  expect(await find(tenant, "first")).toEqual([]);
  // The rest of a deleted conversation goes in batches.
  while ((await workOffDeletions(500)) > 0);
  const left = { where: tenant.identity.partition };
  expect(await db().searchEntry.count(left)).toBe(0);
});

test("what a crash of the index job interrupts is indexed again, once", async () => {
  const tenant = await newTenant();
  const id = await open(tenant, { subject: "order", message: "my order" });
  await searchFindsAll();
  // As if the batch had been committed by another process, and only the progress was lost.
  await db().$executeRaw`UPDATE search_progress SET xact = '0', message_id = ''`;
  await searchFindsAll();

  expect(idsOf(await find(tenant, "order"))).toEqual([id]);
  expect(await db().searchEntry.count({ where: tenant.identity.partition })).toBe(2);
});

test("the messages of one transaction are indexed in batches, however many there are", async () => {
  const tenant = await newTenant();
  const id = await open(tenant, { message: "imported 1" });
  await searchFindsAll();
  await db().$executeRaw`
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, metadata, created_at)
    SELECT m.tenant_id, m.environment, left(m.id, 26) || lpad(i::text, 4, '0'), m.conversation_id, i, m.direction, m.author_type, 'imported ' || i, m.metadata, m.created_at
    FROM messages m, generate_series(2, 41) i WHERE m.conversation_id = ${id}`;

  const batches = [];
  for (let count = await indexForSearch(15); count > 0; count = await indexForSearch(15))
    batches.push(count);
  expect(Math.max(...batches)).toBeLessThanOrEqual(15);
  await searchFindsAll();
  expect(await db().searchEntry.count({ where: tenant.identity.partition })).toBe(41);
});

const long = "x".repeat(201);
test.each([
  ["", "/q", "q is required"],
  ["?q=", "/q", "q must have at least one letter or digit"],
  ["?q=%20", "/q", "q must have at least one letter or digit"],
  ["?q=%21%3F", "/q", "q must have at least one letter or digit"],
  ["?q=%22%22", "/q", "q must have at least one letter or digit"],
  ["?q=%22order", "/q", "q must close its quotation marks"],
  [`?q=${long}`, "/q", "q must have at most 200 characters"],
  [`?q=${"a%20".repeat(11)}`, "/q", "q must have at most 10 words and phrases"],
  [`?q=${"東".repeat(51)}`, "/q", "q must have at most 50 words in all"],
  ["?q=a&sort=oldest", "/sort", "sort must be ranked or newest"],
  ["?q=a&order=asc", "/order", "order is not a known parameter"],
  ["?q=a&limit=0", "/limit", "limit must be a whole number from 1 to 50"],
  ["?q=a&status=bogus", "/status", "status must be OPEN, PENDING, SNOOZED, RESOLVED or CLOSED"],
])("422 in plain words for /conversations/search%s", async (query, pointer, message) => {
  const tenant = await newTenant();
  const { status, body } = await call(tenant, "GET", `/conversations/search${query}`);
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([{ pointer, location: "query", message }]);
});

test("422 invalid-cursor for the cursor of the other order, and for one of a conversation that never existed", async () => {
  const tenant = await newTenant();
  for (let index = 0; index < 2; index++) await open(tenant, { message: "order" });
  await searchFindsAll();
  const ranked = (await search(tenant, "order", { limit: "1" })).body.nextCursor;
  const newest = (await search(tenant, "order", { limit: "1", sort: "newest" })).body.nextCursor;
  const none = "cnv_00000000000000000000000000";

  const refused: Record<string, string>[] = [
    { cursor: newest },
    { cursor: ranked, sort: "newest" },
    { cursor: none, sort: "newest" },
    { cursor: `500-${none}-${none}` },
    { cursor: "5" },
  ];
  for (const query of refused) {
    const { status, body } = await search(tenant, "order", query);
    expect([query, status, body.type]).toEqual([
      query,
      422,
      expect.stringMatching(/invalid-cursor$/),
    ]);
  }
});
