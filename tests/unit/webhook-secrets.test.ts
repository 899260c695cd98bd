import { expect, test } from "vitest";
import {
  generateSigningSecret,
  openSecret,
  sealSecret,
  webhookSecretContext,
} from "@/lib/platform/secret-box";

const context = webhookSecretContext({ tenantId: "ten_1", environment: "test" }, "whk_1");

test("an encrypted secret opens with the same associated data", () => {
  const secret = generateSigningSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(openSecret(sealSecret(secret, context), context)).toBe(secret);
});

test("the same secret is encrypted differently each time, and its text never appears", () => {
  const secret = generateSigningSecret();
  const [first, second] = [sealSecret(secret, context), sealSecret(secret, context)];
  expect(first).not.toBe(second);
  expect(first).not.toContain(secret.slice(6, 20));
  expect(first).toMatch(/^[a-z0-9]{1,16}-[0-9a-f]{8}\.[\w-]+$/);
});

test.each([
  ["another tenant", webhookSecretContext({ tenantId: "ten_2", environment: "test" }, "whk_1")],
  [
    "the other environment",
    webhookSecretContext({ tenantId: "ten_1", environment: "live" }, "whk_1"),
  ],
  ["another webhook", webhookSecretContext({ tenantId: "ten_1", environment: "test" }, "whk_2")],
])("a secret copied to %s does not open", (_name, otherContext) => {
  const sealed = sealSecret(generateSigningSecret(), context);
  expect(() => openSecret(sealed, otherContext)).toThrow();
});

test("an altered, shortened or foreign text does not open", () => {
  const sealed = sealSecret("whsec_x", context);
  const middle = sealed.length - 5;
  const altered = `${sealed.slice(0, middle)}${sealed[middle] === "A" ? "B" : "A"}${sealed.slice(middle + 1)}`;
  for (const text of [altered, sealed.slice(0, 20), "", "nodot", `other${sealed}`])
    expect(() => openSecret(text, context)).toThrow();
});
