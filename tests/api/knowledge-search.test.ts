import { describe, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { formOf, processAll, upload } from "../support/documents";

type Language = "en" | "de" | "fr" | null;

const newBase = async (
  tenant: Pick<TestTenant, "key">,
  name: string,
  language: Language = null,
): Promise<string> => (await call(tenant, "POST", "/knowledge-bases", { name, language })).body.id;

/** Uploads texts by the names of their documents, and processes them. */
async function fill(tenant: Pick<TestTenant, "key">, base: string, texts: Record<string, string>) {
  for (const [name, text] of Object.entries(texts)) await upload(tenant, base, formOf(text, name));
  await processAll();
}

type Body = {
  q: string;
  knowledgeBaseIds: string[];
  match?: "any" | "all";
  limit?: number;
  neighbors?: number;
};

type Hit = {
  knowledgeBaseId: string;
  documentId: string;
  name: string;
  position: number;
  text: string;
  ranges: [number, number][];
  before: string[];
  after: string[];
  score: number;
};

async function search(tenant: Pick<TestTenant, "key">, body: Body): Promise<Hit[]> {
  const reply = await call(tenant, "POST", "/knowledge/search", body);
  expect([reply.status, reply.text.slice(0, 500)]).toEqual([200, expect.any(String)]);
  return reply.body.data;
}

const namesOf = (hits: Hit[]) => hits.map(({ name }) => name);
const marked = ({ text, ranges }: Hit) => ranges.map(([start, end]) => text.slice(start, end));

describe("several bases", () => {
  test("200 with the parts of all bases that fit best, as plain text with positions", async () => {
    const tenant = await newTenant();
    const [first, second] = [await newBase(tenant, "First"), await newBase(tenant, "Second")];
    const other = await newBase(tenant, "Other");
    await fill(tenant, first, { "often.txt": 'A <b>needle</b> & a "needle".', "hay.txt": "Hay." });
    await fill(tenant, second, { "once.txt": `${"Much hay. ".repeat(30)} One needle.` });
    await fill(tenant, other, { "elsewhere.txt": "needle" });

    const hits = await search(tenant, { q: "NEEDLE", knowledgeBaseIds: [first, second] });
    expect(namesOf(hits)).toEqual(["often.txt", "once.txt"]);
    expect(hits.map(({ knowledgeBaseId }) => knowledgeBaseId)).toEqual([first, second]);
    const [best] = hits as [Hit];
    expect(best).toMatchObject({
      documentId: expect.stringMatching(/^doc_/),
      position: 0,
      text: 'A <b>needle</b> & a "needle".',
      before: [],
      after: [],
    });
    expect(marked(best)).toEqual(["needle", "needle"]);
    expect(await search(tenant, { q: "needle", knowledgeBaseIds: [second], limit: 1 })).toEqual([
      { ...hits[1], score: expect.any(Number) },
    ]);
    expect(
      namesOf(await search(tenant, { q: "needle", knowledgeBaseIds: [first, second], limit: 1 })),
    ).toEqual(["often.txt"]);
  });

  test("all words must occur in a part, or any of them: more of them come first, and a word after a minus never occurs", async () => {
    const tenant = await newTenant();
    const base = await newBase(tenant, "Base");
    await fill(tenant, base, {
      "both.txt": "Free returns of lamps.",
      "returns.txt": "Returns need a label.",
      "free.txt": "Delivery is free.",
      "neither.txt": "Opening hours.",
    });
    const found = async (q: string, match?: "any" | "all") =>
      namesOf(await search(tenant, { q, knowledgeBaseIds: [base], ...(match && { match }) }));

    expect(await found("free returns")).toEqual(["both.txt"]);
    expect(await found("free returns", "all")).toEqual(["both.txt"]);
    const any = await found("free returns", "any");
    expect(any[0]).toBe("both.txt");
    expect(any.toSorted()).toEqual(["both.txt", "free.txt", "returns.txt"]);
    expect((await found("free returns -lamps", "any")).toSorted()).toEqual([
      "free.txt",
      "returns.txt",
    ]);
    expect((await found('"need a label" or hours', "any")).toSorted()).toEqual([
      "neither.txt",
      "returns.txt",
    ]);
    expect(await found('"label a need" nothing', "any")).toEqual([]);
    expect((await found('hours "free returns', "any")).toSorted()).toEqual([
      "both.txt",
      "neither.txt",
    ]);
    for (const q of ["!!!", "&|!()", "'", "x:*", "\\", '"', "-", "or"])
      expect(await found(q, "any")).toEqual([]);
  });

  test("the parts before and after a result come with it on request, up to the ends of the document", async () => {
    const tenant = await newTenant();
    const base = await newBase(tenant, "Base");
    const sentences = Array.from({ length: 300 }, (_, index) => `Sentence number${index} of many.`);
    await fill(tenant, base, { "long.txt": sentences.join(" ") });
    const chunks = await db().documentChunk.findMany({
      where: { knowledgeBaseId: base },
      orderBy: { position: "asc" },
    });
    const texts = chunks.map(({ text }) => text);
    expect(texts.length).toBeGreaterThan(6);
    const at = async (position: number, neighbors?: number) => {
      // No other part has it: a part repeats only the end of the one before.
      const word = texts[position]?.match(/number\d+/g)?.at(8) ?? "";
      const body = { q: word, knowledgeBaseIds: [base], ...(neighbors && { neighbors }) };
      const [hit, ...others] = await search(tenant, body);
      expect(others).toEqual([]);
      return hit as Hit;
    };

    expect(await at(3)).toMatchObject({ text: texts[3], before: [], after: [] });
    expect(await at(3, 2)).toMatchObject({
      position: 3,
      text: texts[3],
      before: texts.slice(1, 3),
      after: texts.slice(4, 6),
    });
    expect(await at(0, 5)).toMatchObject({ before: [], after: texts.slice(1, 6) });
    const last = texts.length - 1;
    expect(await at(last, 1)).toMatchObject({ before: [texts[last - 1]], after: [] });
  });
});

describe("languages", () => {
  test("a word is found in every form of the base's language, in several languages at once", async () => {
    const tenant = await newTenant();
    const english = await newBase(tenant, "English", "en");
    const german = await newBase(tenant, "German", "de");
    const plain = await newBase(tenant, "Plain");
    await fill(tenant, english, { "en.txt": "Parcels must be returned within 30 days." });
    await fill(tenant, german, { "de.txt": "Die Häuser wurden verkauft." });
    await fill(tenant, plain, { "plain.txt": "Parcels must be returned." });
    const bases = [english, german, plain];
    const found = async (q: string) => {
      const hits = await search(tenant, { q, knowledgeBaseIds: bases, match: "any" });
      return hits.map((hit) => [hit.name, marked(hit)]).toSorted();
    };

    expect(await found("returning the parcel")).toEqual([["en.txt", ["Parcels", "returned"]]]);
    expect(await found("ein Haus")).toEqual([["de.txt", ["Häuser"]]]);
    expect(await found("parcels")).toEqual([
      ["en.txt", ["Parcels"]],
      ["plain.txt", ["Parcels"]],
    ]);
    // The search of one base reads its words in the same way.
    const one = async (base: string, q: string) =>
      (await call(tenant, "GET", `/knowledge-bases/${base}/search?q=${encodeURIComponent(q)}`)).body
        .data;
    expect(await one(english, "return parcel")).toMatchObject([
      { name: "en.txt", ranges: [[0, 7], expect.anything()] },
    ]);
    expect(await one(plain, "return parcel")).toEqual([]);
  });

  test("201 with the language, which events and reads have, too, or null; 422 for one that is not known", async () => {
    const tenant = await newTenant();
    const created = await call(tenant, "POST", "/knowledge-bases", { name: "A", language: "de" });
    expect(created).toMatchObject({ status: 201, body: { language: "de" } });
    expect((await call(tenant, "GET", `/knowledge-bases/${created.body.id}`)).body.language).toBe(
      "de",
    );
    expect(
      (await call(tenant, "POST", "/knowledge-bases", { name: "B" })).body.language,
    ).toBeNull();
    expect(
      await call(tenant, "POST", "/knowledge-bases", { name: "C", language: "xx" }),
    ).toMatchObject({ status: 422, body: { errors: [{ pointer: "/language" }] } });
  });
});

test("404 if one of the bases is another tenant's, the other environment's, or none", async () => {
  const tenant = await newTenant();
  const own = await newBase(tenant, "Own");
  const foreign = [
    await newBase(await newTenant(), "Foreign"),
    await newBase(await newKey(tenant, { environment: "live" }), "Live"),
    newId("knowledgeBase"),
  ];
  for (const id of foreign) {
    const reply = await call(tenant, "POST", "/knowledge/search", {
      q: "needle",
      knowledgeBaseIds: [own, id],
    });
    expect([reply.status, reply.body.detail]).toEqual([
      404,
      `There is no knowledge base with the id "${id}".`,
    ]);
  }
});

const kb = "kb_01KA5V0V7W3Y5Z8J4QX2N6M9TC";
test.each<[object, string]>([
  [{ knowledgeBaseIds: [kb] }, "/q"],
  [{ q: " ", knowledgeBaseIds: [kb] }, "/q"],
  [{ q: "a".repeat(501), knowledgeBaseIds: [kb] }, "/q"],
  [{ q: "a" }, "/knowledgeBaseIds"],
  [{ q: "a", knowledgeBaseIds: [] }, "/knowledgeBaseIds"],
  [{ q: "a", knowledgeBaseIds: [kb, kb] }, "/knowledgeBaseIds/1"],
  [{ q: "a", knowledgeBaseIds: ["cus_1"] }, "/knowledgeBaseIds/0"],
  [
    { q: "a", knowledgeBaseIds: Array.from({ length: 21 }, () => newId("knowledgeBase")) },
    "/knowledgeBaseIds",
  ],
  [{ q: "a", knowledgeBaseIds: [kb], match: "some" }, "/match"],
  [{ q: "a", knowledgeBaseIds: [kb], limit: 0 }, "/limit"],
  [{ q: "a", knowledgeBaseIds: [kb], limit: 51 }, "/limit"],
  [{ q: "a", knowledgeBaseIds: [kb], neighbors: 6 }, "/neighbors"],
  [{ q: "a", knowledgeBaseIds: [kb], neighbours: 1 }, "/neighbours"],
])("422 for %j", async (body, pointer) => {
  const reply = await call(await newTenant(), "POST", "/knowledge/search", body);
  expect([reply.status, reply.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
});
