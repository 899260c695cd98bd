import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { signIn, signUp } from "@/lib/auth/service";
import { maximumSignUps } from "@/lib/auth/throttle";
import { db } from "@/lib/platform/db";
import { findLiveSession } from "@/lib/sessions/service";
import { filterPath } from "@/lib/users/common-passwords/filter";
import {
  changePasswordInput,
  newPersonInput,
  resetPasswordInput,
  signUpInput,
} from "@/lib/users/schema";

const device = { address: "10.2.0.1", userAgent: "test" };
let number = 0;
const newInput = (organization = "Analytical Engines") =>
  signUpInput.parse({
    organization,
    name: "Ada",
    email: `Ada${++number}@Example.com`,
    password: "correct horse battery",
  });

test("a tenant, its owner and a session are created together", async () => {
  const input = newInput();
  const result = await signUp(input, device);

  if (result.outcome !== "signed-in") throw new Error(result.outcome);
  expect(await findLiveSession(result.sessionId)).toMatchObject({
    name: "Ada",
    email: `ada${number}@example.com`,
    memberships: [
      { role: "OWNER", tenant: { name: "Analytical Engines", slug: result.tenantSlug } },
    ],
  });
  expect(await signIn(input, device)).toMatchObject({ outcome: "signed-in" });
});

test("a taken address creates nothing, also under concurrent requests", async () => {
  const input = newInput("Twice");
  const results = await Promise.all([
    signUp(input, device),
    signUp(input, device),
    signUp(input, device),
  ]);

  expect(results.map(({ outcome }) => outcome).sort()).toEqual([
    "email-taken",
    "email-taken",
    "signed-in",
  ]);
  expect(await db().tenant.count({ where: { name: "Twice" } })).toBe(1);
  expect(await signUp(input, device)).toEqual({ outcome: "email-taken" });
});

test.each([
  ["Zoë & Söhne", "zoe-sohne"],
  ["Docs", "docs-2"],
  ["v1", "v1-2"],
  ["東京", "tenant"],
])("%s has its dashboard at /%s", async (organization, slug) => {
  expect(await signUp(newInput(organization), device)).toMatchObject({ tenantSlug: slug });
});

test("sign-ups from one address are limited", async () => {
  const outcomes = [];
  for (let account = 0; account < maximumSignUps + 2; account++) {
    // A taken address costs no hash, and still counts.
    outcomes.push(
      (
        await signUp(
          { ...newInput(), email: "ada1@example.com" },
          { ...device, address: "10.2.0.2" },
        )
      ).outcome,
    );
  }
  expect(outcomes.filter((outcome) => outcome === "too-many")).toHaveLength(2);
  expect(outcomes.at(-1)).toBe("too-many");
});

const whole = {
  organization: "Engines",
  name: "Ada",
  email: "ada@example.com",
  password: "correct horse battery",
};

test.each([
  ["organization", { organization: "  " }],
  ["organization", { organization: "x".repeat(101) }],
  ["organization", { organization: "a\u0000b" }],
  ["name", { name: "\ud800 Ada" }],
  ["email", { email: "ada" }],
  ["email", { email: `${"a".repeat(250)}@example.com` }],
  ["password", { password: "eleven char" }],
  ["password", { password: "x".repeat(201) }],
  ["password", { password: "aaaaaaaaaaaaaaaa" }],
  ["password", { password: "ADA@example.com", email: "ada@example.com" }],
])("refuses this %s: %o", (field, change) => {
  const parsed = signUpInput.safeParse({ ...whole, ...change });
  expect(new Set(parsed.error?.issues.map(({ path }) => path[0]))).toEqual(new Set([field]));
});

test("the length of a password is counted in characters, after normalization", () => {
  // Twelve letters of two code units each are long enough; eleven, spelt as twenty-two code points,
  // are not.
  expect(signUpInput.safeParse({ ...whole, password: "𝒬𝒵𝒳𝒲𝒱𝒫ℳ𝒴𝒯𝒮𝒦ℒ" }).success).toBe(true);
  expect(
    signUpInput.safeParse({ ...whole, password: "äëïöüÄËÏÖÜä".normalize("NFD") }).success,
  ).toBe(false);
});

describe("a common password is refused", () => {
  test.each([
    ["one of the list", "1qaz2wsx3edc"],
    ["in capitals", "1QAZ2WSX3EDC"],
    ["in letters that look wider", "ｑｗｅｒｔｙｑｗｅｒｔｙ"],
    ["with a year and a mark behind it", "Password2026!"],
    ["with digits around it", "2026-sunshine-2026"],
    ["twice", "trustno1trustno1"],
    ["several times, with a mark", "dragondragondragon!"],
  ])("%s: %s", (_how, password) => {
    expect(signUpInput.safeParse({ ...whole, password }).error?.issues).toMatchObject([
      { path: ["password"], message: expect.stringContaining("less common") },
    ]);
  });

  test.each([
    "correct horse battery",
    "quite another sentence",
    "naïve café du coin",
    "vRk8-mmQx-2bTz",
  ])("and this is none: %s", (password) => {
    expect(signUpInput.safeParse({ ...whole, password }).success).toBe(true);
  });

  test("wherever a password is chosen", () => {
    const password = "password1234";
    const address = "ada@example.com";
    expect(changePasswordInput(address).safeParse({ current: "x", password }).success).toBe(false);
    expect(resetPasswordInput(address).safeParse({ password }).success).toBe(false);
    expect(newPersonInput(address).safeParse({ name: "Ada", password }).success).toBe(false);
  });

  test("the list holds more than 100,000", () => {
    const filter = readFileSync(filterPath);
    expect(filter.length / 4).toBeGreaterThan(100_000);
    const prefixes = Array.from({ length: filter.length / 4 }, (_, index) =>
      filter.readUInt32BE(index * 4),
    );
    expect(
      prefixes.every((prefix, index) => index === 0 || prefix > (prefixes[index - 1] ?? 0)),
    ).toBe(true);
  });
});
