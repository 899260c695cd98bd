import { encode } from "next-auth/jwt";
import { afterEach, expect, test, vi } from "vitest";
import { authSecret } from "@/lib/auth/auth-secret";
import { readSessionId } from "@/lib/auth/session-cookie";

let token: string | undefined;
vi.mock("next/headers", () => ({
  cookies: async () => ({
    get: (name: string) =>
      name === "next-auth.session-token" && token ? { value: token } : undefined,
  }),
}));
afterEach(() => vi.useRealTimers());

const seal = (sessionId: string, maxAge = 60) =>
  encode({ token: { sessionId }, secret: authSecret(), maxAge });

test("each cookie has its own session, however often it is read", async () => {
  const tokens = [await seal("ses_1"), await seal("ses_2")];
  for (let count = 0; count < 3; count++)
    for (const [index, sealed] of tokens.entries()) {
      token = sealed;
      expect(await readSessionId()).toBe(`ses_${index + 1}`);
    }
});

test("no session without a cookie, or with one that was altered or sealed with another secret", async () => {
  token = undefined;
  expect(await readSessionId()).toBeNull();
  const sealed = await seal("ses_3");
  token = sealed;
  expect(await readSessionId()).toBe("ses_3");
  token = `${sealed.slice(0, -3)}AAA`;
  expect(await readSessionId()).toBeNull();
  token = await encode({ token: { sessionId: "ses_3" }, secret: "another secret" });
  expect(await readSessionId()).toBeNull();
});

test("a cookie ends on time, also after it was read", async () => {
  const now = Date.now();
  token = await seal("ses_4", 3_600);
  expect(await readSessionId()).toBe("ses_4");
  vi.useFakeTimers({ now: now + 3_590_000, toFake: ["Date"] });
  expect(await readSessionId()).toBe("ses_4");
  vi.setSystemTime(now + 3_630_000);
  expect(await readSessionId()).toBeNull();
});
