// cspell:ignore émile, legi, orfeo, aßéøłñžжאبअ
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { displayName } from "@/lib/customers/display-name";
import { createCustomerBody } from "@/lib/customers/schema";
import { createCustomer, findCustomers } from "@/lib/customers/service";
import { updateCustomer } from "@/lib/customers/update";
import { type Caller, type Identity, mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";

async function newIdentity(): Promise<Identity> {
  const { id } = await createTenant(db(), { name: "Finders" });
  return {
    partition: { tenantId: id, environment: "test" },
    actor: { type: "OPERATOR", id: "tests" },
    request: null,
    address: null,
  };
}

const create = (identity: Identity, body: object) =>
  mutate(identity, (caller) => createCustomer(caller, createCustomerBody.parse(body)));
const names = async (caller: Caller, q: string) =>
  (await findCustomers(caller, { q })).data.map(({ name }) => name);

describe("a search", () => {
  let caller: Caller;

  beforeAll(async () => {
    const identity = await newIdentity();
    caller = reader(identity);
    await create(identity, {
      name: "Ada Lovelace",
      email: "ada@engines.example",
      phone: "+493012345678",
      externalId: "user_8412",
    });
    await create(identity, {
      name: "Tomás Ångström",
      email: "tomas@voss-optik.de",
      externalId: "A 0042",
    });
    await create(identity, { name: "Duran Duran" });
    await create(identity, { name: "李雷", phone: "+14155550123" });
    await create(identity, { name: "Привет Мир", externalId: "it's \\ 'quoted' & (odd) | !:*" });
  });

  test.each([
    ["a name", "lovelace", ["Ada Lovelace"]],
    ["the beginning of a name", "lov", ["Ada Lovelace"]],
    ["words in any order and of any field", "LOVE user_84 ada@eng", ["Ada Lovelace"]],
    ["a single letter", "l", ["Ada Lovelace"]],
    ["a name without its accents", "tomas angstrom", ["Tomás Ångström"]],
    ["a name with them", "TOMÁS ÅNG", ["Tomás Ångström"]],
    ["a part of an email address", "optik", ["Tomás Ångström"]],
    ["the domain of an email address", "voss-optik.de", ["Tomás Ångström"]],
    ["the start of that domain", "@voss-op", ["Tomás Ångström"]],
    ["a phrase", '"ada lovelace"', ["Ada Lovelace"]],
    ["a phrase without its accents, next to a word", '"tomas angstrom" optik', ["Tomás Ångström"]],
    ["a phrase with other punctuation", '"voss optik de"', ["Tomás Ångström"]],
    ["typographic quotation marks", "„Ada Lovelace“", ["Ada Lovelace"]],
    ["a phrase that is still being typed", '"ada love', ["Ada Lovelace"]],
    ["a phrase of one word", '"ada"', ["Ada Lovelace"]],
    ["a phrase of Chinese", '"李雷"', ["李雷"]],
    ["a phrase that repeats a word", '"duran duran"', ["Duran Duran"]],
    ["a phrase in another order", '"lovelace ada"', []],
    ["a phrase whose last word is only begun", '"ada love"', []],
    ["a phrase from the name to the email address", '"angstrom tomas"', []],
    ["a domain that only starts the same", "voss-optik.com", []],
    ["an external id", "user_8412", ["Ada Lovelace"]],
    ["a number that an external id ends with", "8412", ["Ada Lovelace"]],
    ["a number that begins with zeros", "0042", ["Tomás Ångström"]],
    ["a phone number", "+493012345678", ["Ada Lovelace"]],
    ["a phone number with blanks", "+49 (30) 1234-56", ["Ada Lovelace"]],
    ["a phone number as one dials it from abroad", "00493012", ["Ada Lovelace"]],
    ["a phone number as one dials it there", "030 123", ["Ada Lovelace"]],
    ["a phone number without the country", "415 555", ["李雷"]],
    ["Chinese", "李", ["李雷"]],
    ["Cyrillic, in another case", "приВЕТ", ["Привет Мир"]],
    ["what means something in a query", "it's \\ 'quoted' & (odd) | !:*", ["Привет Мир"]],
    ["text in the middle of a word", "velace", []],
    ["one word that matches and one that does not", "ada nobody", []],
    ["the id prefix of tenants", "ten_", []],
  ])("finds by %s", async (_what, q, found) => {
    expect(await names(caller, q)).toEqual(found);
  });

  test("without text returns every customer, newest first", async () => {
    expect(await names(caller, "  ")).toEqual([
      "Привет Мир",
      "李雷",
      "Duran Duran",
      "Tomás Ångström",
      "Ada Lovelace",
    ]);
  });
});

test("another tenant's customers, and those of the other environment, are not found", async () => {
  const [one, other] = await Promise.all([newIdentity(), newIdentity()]);
  await create(one, { name: "Ada" });
  await create(
    { ...other, partition: { ...other.partition, environment: "live" } },
    { name: "Ada" },
  );

  expect(await names(reader(one), "ada")).toEqual(["Ada"]);
  expect(await names(reader(other), "ada")).toEqual([]);
});

test("a customer is found by the current name, not by an earlier one", async () => {
  const identity = await newIdentity();
  const { id } = await create(identity, { name: "Ada Byron", externalId: "u_1" });
  await mutate(identity, (caller) => updateCustomer(caller, id, { name: "Ada Lovelace" }));

  expect(await names(reader(identity), "byron")).toEqual([]);
  expect(await names(reader(identity), "lovelace u_1")).toEqual(["Ada Lovelace"]);
});

test("results are paginated without gaps or duplicates", async () => {
  const identity = await newIdentity();
  for (let number = 0; number < 65; number++)
    await create(identity, { name: `Ada ${number}`, externalId: `u_${number}` });
  const caller = reader(identity);

  const seen = [];
  let cursor: string | undefined;
  do {
    const page = await findCustomers(caller, { q: "ada", cursor });
    seen.push(...page.data.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor);
  expect(seen).toEqual(Array.from({ length: 65 }, (_, number) => `Ada ${64 - number}`));
});

test("every text is possible in a customer and in a search", async () => {
  const identity = await newIdentity();
  // What the API accepts: text without NUL and lone surrogates.
  const text = fc
    .string({ unit: "binary", minLength: 1, maxLength: 200 })
    .filter((value) => !value.includes("\0") && value.trim() !== "");
  await fc.assert(
    fc.asyncProperty(text, async (name) => {
      const { id } = await create(identity, { name });
      const found = await findCustomers(reader(identity), { q: name });
      expect(found.data.map((customer) => customer.id)).toContain(id);
    }),
    {
      numRuns: 150,
      examples: [
        ["\uFDFA".repeat(200)],
        ["'\\' & | ! :* <->"],
        ["\u200d"],
        ["--"],
        ['"- -"'],
        ['"x y" z'],
        ['a"b c"d'],
        ['""'],
      ],
    },
  );
});

test("a phrase is found with any punctuation between its words, but not with a letter or digit there", async () => {
  const identity = await newIdentity();
  const found = async (q: string) =>
    (await findCustomers(reader(identity), { q, limit: 100 })).data.map(({ id }) => id);
  // Of many scripts, and symbols, an invisible space and a tag.
  const punctuation = [
    ..."・·、。«»‹›「」『』〜–—…‘’¿¡§¶†•※×÷€♥★→©־׳،؛۔।॥༄᠆٭‿⁄𐄀𝄞😀\u200b\u{e0001}",
  ];
  // With a long vowel mark, half-width and small forms, and numbers that are not digits.
  const letters = [..."aßéøłñžжאبअ한漢々〇ーアｱッ①❶Ⅷ½²ªµ٣𝟘𐒀𠀀𐐀"];
  const letter = fc.constantFrom(...letters);
  const word = fc.array(letter, { minLength: 1, maxLength: 4 }).map((all) => all.join(""));
  await fc.assert(
    fc.asyncProperty(
      word,
      fc.constantFrom(...punctuation),
      word,
      letter,
      async (first, mark, second, joint) => {
        const { id } = await create(identity, { name: `Ada ${first}${mark}${second}` });
        const joined = await create(identity, { name: `Ada ${first}${joint}${second}` });
        for (const q of [`"Ada ${first}${mark}${second}"`, `"Ada ${first} ${second}"`]) {
          const ids = await found(q);
          expect(ids).toContain(id);
          expect(ids).not.toContain(joined.id);
        }
      },
    ),
    { numRuns: 80, examples: punctuation.map((mark) => ["ジョン", mark, "スミス", "ー"]) },
  );
});

test.each([
  ["ジョン・スミス", '"ジョン・スミス"'],
  ["ジョン・スミス 様", '"スミス 様"'],
  ["ジョン・スミスー 様", '"ジョン スミスー 様"'],
  ["Col·legi Barcelona", '"Col·legi Barcelona"'],
  ["Col·legi Barcelona", '"legi barcelona"'],
  ["«Orfeo» Barcelona", '"orfeo barcelona"'],
  ["山田、太郎 様", '"山田、太郎 様"'],
  ["Team ❶・〇", '"team ❶ 〇"'],
])("%s is found by the phrase %s", async (name, q) => {
  const identity = await newIdentity();
  await create(identity, { name });
  expect(await names(reader(identity), q)).toEqual([name]);
});

test("a customer without any identifying field is called erased if it was", () => {
  const nothing = { name: null, email: null, phone: null, externalId: null };
  expect(displayName({ ...nothing, erasedAt: null })).toBe("Unnamed customer");
  expect(displayName({ ...nothing, erasedAt: "2026-01-31T09:30:00.000Z" })).toBe("Erased customer");
});

describe("a sorted list", () => {
  type Page = Parameters<typeof findCustomers>[1];

  /** Reads every page, and returns the display names in order. */
  async function pagesOf(caller: Caller, page: Page): Promise<string[]> {
    const shown: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await findCustomers(caller, { ...page, limit: 2, cursor });
      shown.push(...data.map(displayName));
      cursor = nextCursor;
    } while (cursor);
    return shown;
  }

  test("is in the order of the display names, without regard to case and accents, over several pages", async () => {
    const [identity, stranger] = [await newIdentity(), await newIdentity()];
    for (const body of [
      { name: "Zoë" },
      { name: "Émile" },
      { name: "ada" },
      { email: "eve@example.com" },
      { name: "Ada Lovelace", email: "zed@example.com" },
      { name: "Zoe" },
      { externalId: "Bob" },
    ])
      await create(identity, body);
    await create(stranger, { name: "Aaa" });
    const caller = reader(identity);
    // Equal names are in the order of their creation.
    const sorted = ["ada", "Ada Lovelace", "Bob", "Émile", "eve@example.com", "Zoë", "Zoe"];
    expect(await pagesOf(caller, { sort: "name", order: "asc" })).toEqual(sorted);
    expect(await pagesOf(caller, { sort: "name", order: "desc" })).toEqual(sorted.toReversed());
    expect(await pagesOf(caller, { sort: "name", order: "asc", q: "ada" })).toEqual([
      "ada",
      "Ada Lovelace",
    ]);
  });

  test("by name starts again if the customer at the end of a page was deleted", async () => {
    const identity = await newIdentity();
    for (const name of ["Ada", "Bob", "Carl"]) await create(identity, { name });
    for (const [order, first] of [
      ["asc", "Ada"],
      ["desc", "Carl"],
    ] as const) {
      const { data } = await findCustomers(reader(identity), {
        sort: "name",
        order,
        cursor: "cus_00000000000000000000000000",
      });
      expect(data[0]?.name).toBe(first);
    }
  });

  test("is in the order of the last change, and a change in the meantime does not move its pages", async () => {
    const identity = await newIdentity();
    const created: { id: string }[] = [];
    for (const name of ["Ada", "Bob", "Carl", "Dora"])
      created.push(await create(identity, { name }));
    const change = (index: number) =>
      mutate(identity, (caller) =>
        updateCustomer(caller, created[index]?.id ?? "", { locale: "de" }),
      );
    await change(1);
    const caller = reader(identity);
    expect(await pagesOf(caller, { sort: "updatedAt" })).toEqual(["Bob", "Dora", "Carl", "Ada"]);
    expect(await pagesOf(caller, { sort: "updatedAt", order: "asc" })).toEqual([
      "Ada",
      "Carl",
      "Dora",
      "Bob",
    ]);
    const first = await findCustomers(caller, { sort: "updatedAt", limit: 2 });
    await change(3);
    const second = await findCustomers(caller, {
      sort: "updatedAt",
      limit: 2,
      cursor: first.nextCursor,
    });
    expect(second.data.map(displayName)).toEqual(["Carl", "Ada"]);
  });

  test("refuses the cursor of another order", async () => {
    const caller = reader(await newIdentity());
    for (const [sort, cursor] of [
      ["updatedAt", "cus_00000000000000000000000000"],
      ["name", "1-cus_00000000000000000000000000"],
    ] as const)
      await expect(findCustomers(caller, { sort, cursor })).rejects.toThrow("cursor");
  });
});

// A page of a search is found among the first 10,000 customers, or else in the index.
describe("a search among 12,000 customers", () => {
  let caller: Caller;
  let ids: string[];
  const words = {
    rare: [3, 4_000, 11_990],
    old: [1, 2, 3, 4, 5],
    some: 300,
    many: 7,
    none: 20_000,
  };
  const isIn = (word: keyof typeof words, number: number) => {
    const of = words[word];
    return Array.isArray(of) ? of.includes(number) : number % of === 0;
  };

  beforeAll(async () => {
    const identity = await newIdentity();
    caller = reader(identity);
    ids = Array.from({ length: 12_000 }, () => newId("customer")).sort();
    await db().customer.createMany({
      data: ids.map((id, index) => ({
        ...identity.partition,
        id,
        name: `Name ${String(index).padStart(5, "0")}`,
        searchWords: (Object.keys(words) as (keyof typeof words)[]).filter((w) => isIn(w, index)),
        createdAt: new Date(),
        updatedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1_000),
      })),
    });
  });

  const orders = ["asc", "desc"] as const;
  const sorts = [undefined, "name", "updatedAt"] as const;
  test.each(
    (Object.keys(words) as (keyof typeof words)[]).flatMap((q) =>
      sorts.flatMap((sort) => orders.map((order) => ({ q, sort, order }))),
    ),
  )("finds all with $q, sorted by $sort $order", async ({ q, sort, order }) => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await findCustomers(caller, {
        q,
        order,
        limit: 100,
        cursor,
        ...(sort && { sort }),
      });
      found.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    const expected = ids.filter((_id, index) => isIn(q, index));
    expect(found).toEqual(order === "asc" ? expected : expected.reverse());
  });
});
