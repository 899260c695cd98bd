import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { searchEntries } from "@/app/docs/content/search-entries";
import { buildIndex, loadIndex, searchDocs } from "@/components/docs/search-index";

const built = JSON.stringify(buildIndex(searchEntries()));
const index = loadIndex(built);
const pageOf = (id = "") => id.split("#")[0];

describe("the search of the documentation", () => {
  test.each([
    ["idempotent", "/docs/idempotency"],
    ["idempotency key", "/docs/idempotency"],
    ["Retry-After", "/docs/rate-limits"],
    ["whsec", "/docs/verify-signatures"],
    ["snooze", "/docs/conversations"],
    ["rotate the secret", "/docs/webhooks"],
    ["rotate a key", "/docs/api-keys"],
    ["insufficient-scope", "/docs/errors/insufficient-scope"],
    ["message.received", "/docs/events/message.received"],
    ["createWebhook", "/docs/reference/webhooks/create-webhook"],
    ["cursor", "/docs/pagination"],
    ["deprecation", "/docs/versioning"],
    ["WEBHOOK_RETRY_SCHEDULE", "/docs/configuration"],
    ["quikstart", "/docs/quickstart"],
  ])("%s finds %s first", (text, path) => {
    expect(searchDocs(index, text).map(({ id }) => pageOf(id))[0]).toBe(path);
  });

  test("an unfinished last word finds what the whole word finds", () => {
    const [first] = searchDocs(index, "pagin");
    expect(pageOf(first?.id)).toBe("/docs/pagination");
  });

  test("nothing matches words that no page has", () => {
    expect(searchDocs(index, "xylophone quartet")).toEqual([]);
  });

  test("the index is at most 150 KB compressed", () => {
    expect(gzipSync(built).length).toBeLessThan(150_000);
  });
});
