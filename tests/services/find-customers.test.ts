import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { createCustomerBody } from "@/lib/customers/schema";
import { createCustomer, findCustomers, updateCustomer } from "@/lib/customers/service";
import { type Caller, type Identity, mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
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
    { numRuns: 150, examples: [["\uFDFA".repeat(200)], ["'\\' & | ! :* <->"], ["\u200d"], ["--"]] },
  );
});
