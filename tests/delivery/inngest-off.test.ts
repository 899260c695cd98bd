import { expect, test } from "vitest";
import { GET, POST, PUT } from "@/app/api/inngest/route";
import { signedRequest } from "../support/inngest-executor";

test("404: with the embedded clock nothing is served to Inngest", async () => {
  for (const handler of [GET, POST, PUT]) {
    expect((await handler(signedRequest("parlance-deliver-webhook", {}, `signkey-test-${"0".repeat(64)}`))).status).toBe(404);
  }
});
