import { expect, test } from "vitest";
import { GET, POST, PUT } from "@/app/api/inngest/route";
import { signedRequest } from "../support/inngest-server";

test("404 for Inngest with the embedded clock", async () => {
  const url = "http://app.test/api/inngest?fnId=parlance-send-deliveries&stepId=step";
  for (const handler of [GET, POST, PUT]) {
    expect(
      (await handler(signedRequest(url, {}, { signingKey: `signkey-test-${"0".repeat(64)}` })))
        .status,
    ).toBe(404);
  }
});
