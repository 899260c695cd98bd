import { expect, test } from "vitest";
import { listAgents } from "@/lib/agents/service";
import { createApiKey, listApiKeys } from "@/lib/api-keys/service";
import { createKnowledgeBase, listKnowledgeBases } from "@/lib/knowledge/bases/service";
import { type Caller, mutate, reader } from "@/lib/platform/caller";
import { sortedPage } from "@/lib/resources/sorted-page";
import { as, newOrganization } from "../support/people";

type Page = { cursor: string | undefined; limit: number; order: "asc" | "desc" };

/** Reads every page, and returns the names in order. */
async function namesOf(
  list: (page: Page) => Promise<{ data: { name: string }[]; nextCursor?: string }>,
  order: "asc" | "desc",
): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ cursor, limit: 2, order });
    names.push(...page.data.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor);
  return names;
}

test("lists are sorted by name without regard to case, over several pages, for one tenant only", async () => {
  const [{ owner }, { owner: stranger }] = [await newOrganization(), await newOrganization()];
  const bodies = (name: string) => ({ name, description: null, metadata: {} }) as never;
  const write = <Result>(work: (caller: Caller) => Promise<Result>) => mutate(as(owner), work);
  for (const name of ["beta", "Item 10", "Alpha", "item 9", "Gamma"]) {
    await write((caller) => createKnowledgeBase(caller, bodies(name)));
    await write((caller) => createApiKey(caller, { name, scopes: ["read:usage"] }));
  }
  await mutate(as(stranger), (caller) => createKnowledgeBase(caller, bodies("Aaa")));
  const caller = reader(as(owner));
  const sorted = ["Alpha", "beta", "Gamma", "item 9", "Item 10"];
  for (const list of [
    (page: Page) => listKnowledgeBases(caller, { ...page, sort: "name" }),
    (page: Page) => listApiKeys(caller, { ...page, status: undefined, sort: "name" }),
  ]) {
    expect(await namesOf(list, "asc")).toEqual(sorted);
    expect(await namesOf(list, "desc")).toEqual(sorted.toReversed());
  }
  expect(await listAgents(caller, { limit: 2, order: "asc", sort: "name" })).toEqual({ data: [] });
});

test("empty values come last in both orders, and equal ones are in the order of their ids", async () => {
  const keys = [
    { id: "1", size: null },
    { id: "2", size: 5 },
    { id: "3", size: 5 },
    { id: "4", size: 7 },
  ];
  const ids = async (order: "asc" | "desc", cursor?: string) => {
    const load = async (wanted: string[]) => keys.filter(({ id }) => wanted.includes(id));
    const page = await sortedPage(keys, "size", { cursor, limit: 3, order }, load);
    return [page.data.map(({ id }) => id), page.nextCursor];
  };
  expect(await ids("asc")).toEqual([["3", "2", "4"], "4"]);
  expect(await ids("desc")).toEqual([["4", "3", "2"], "2"]);
  expect(await ids("asc", "4")).toEqual([["1"], undefined]);
});
