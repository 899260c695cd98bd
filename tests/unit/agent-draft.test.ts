import { describe, expect, test } from "vitest";
import { changedDraftFields, draftPatch, rebaseDraft, toForm } from "@/lib/agents/draft-form";
import type { Agent } from "@/lib/agents/schema";
import { fromMetadataRows, metadataProblem, toMetadataRows } from "@/lib/platform/metadata-rows";

const agent: Agent = {
  id: "agt_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  environment: "test",
  status: "PUBLISHED",
  name: "Support",
  description: "First line",
  model: null,
  instructions: "Be kind.",
  greeting: "",
  temperature: 0,
  knowledgeBaseIds: ["kb_2", "kb_1"],
  metadata: { plan: "gold", seats: 3, isBeta: false, note: "" },
  version: null,
  hasUnpublishedChanges: false,
  publishedVersion: 1,
  publishedAt: "2026-01-31T09:30:00.000Z",
  createdAt: "2026-01-31T09:30:00.000Z",
  updatedAt: "2026-01-31T09:30:00.000Z",
};

const base = toForm(agent);

describe("a draft's form", () => {
  test("has nothing to save at first, with null, empty and zero values", () => {
    expect(draftPatch(base, toForm(agent))).toEqual({});
    expect(
      draftPatch(base, {
        ...base,
        knowledgeBaseIds: ["kb_1", "kb_2"],
        metadata: base.metadata.toReversed(),
      }),
    ).toEqual({});
  });

  test("saves only changes: an emptied field as null, a number as a number", () => {
    const form = {
      ...base,
      description: "",
      model: " small-1 ",
      temperature: "0.7",
      knowledgeBaseIds: [],
    };
    expect(draftPatch(base, form)).toEqual({
      description: null,
      model: "small-1",
      temperature: 0.7,
      knowledgeBaseIds: [],
    });
    expect(draftPatch(base, { ...base, temperature: "" })).toEqual({ temperature: null });
  });

  test("saves new and changed metadata, and null for removed keys; each value keeps its type", () => {
    const rows = toMetadataRows(agent.metadata);
    expect(fromMetadataRows(rows)).toEqual(agent.metadata);
    const metadata = [
      ...rows
        .filter(({ key }) => key !== "plan")
        .map((row) => (row.key === "seats" ? { ...row, value: "4" } : row)),
      { id: "new", key: " team ", kind: "text" as const, value: "3" },
      { id: "unfinished", key: " ", kind: "text" as const, value: "x" },
    ];
    expect(draftPatch(base, { ...base, metadata })).toEqual({
      metadata: { seats: 4, team: "3", plan: null },
    });
    expect(metadataProblem(metadata)).toBeNull();
    expect(
      metadataProblem([...metadata, { id: "again", key: "team", kind: "text", value: "" }]),
    ).toContain("“team”");
    expect(metadataProblem([{ id: "new", key: "__proto__", kind: "text", value: "" }])).toContain(
      "“__proto__”",
    );
  });
});

describe("a draft that others changed while a user was editing", () => {
  test("shows their values in unedited fields, keeps edited ones, and names the fields that both changed", () => {
    const mine = { ...base, name: "Sales", instructions: "Be brief.", model: "large-1" };
    const theirs = toForm({
      ...agent,
      instructions: "Be formal.",
      greeting: "Hello!",
      model: "large-1",
    });

    const rebased = rebaseDraft(base, mine, theirs);

    expect(rebased).toEqual({
      form: { ...mine, greeting: "Hello!" },
      taken: ["greeting"],
      conflicts: ["instructions"],
    });
    // The patch to save now does not contain the fields that only others changed.
    expect(draftPatch(theirs, rebased.form)).toEqual({ name: "Sales", instructions: "Be brief." });
  });

  test("joins the metadata of both, key by key", () => {
    const rows = [
      ...base.metadata.filter(({ key }) => key !== "isBeta"),
      { id: "new", key: "team", kind: "text" as const, value: "a" },
    ];
    const join = (theirs: Agent["metadata"]) => {
      const rebased = rebaseDraft(
        base,
        { ...base, metadata: rows },
        toForm({ ...agent, metadata: theirs }),
      );
      return { ...rebased, form: fromMetadataRows(rebased.form.metadata) };
    };
    const theirs = { seats: 4, isBeta: false, note: "", region: "eu" };
    expect(join(theirs)).toEqual({
      form: { seats: 4, note: "", team: "a", region: "eu" },
      taken: ["metadata"],
      conflicts: [],
    });
    expect(join({ ...theirs, team: "b" })).toMatchObject({
      form: { team: "a", region: "eu" },
      conflicts: ["metadata"],
    });
  });

  test("is completely theirs where nothing was edited", () => {
    const theirs = toForm({ ...agent, name: "Sales", knowledgeBaseIds: ["kb_3"], metadata: {} });
    const rebased = rebaseDraft(base, base, theirs);
    expect(rebased).toEqual({
      form: theirs,
      taken: ["name", "knowledgeBaseIds", "metadata"],
      conflicts: [],
    });
    expect(changedDraftFields(theirs, rebased.form)).toEqual([]);
  });
});
