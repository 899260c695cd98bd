import type { Page } from "@playwright/test";
import { stepAt, totp } from "@/lib/second-factor/totp";
import { queryDatabase } from "./database";
import { password, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoViolations } from "./watch";

/** Chromium's own authenticator, which stores passkeys and confirms each request at once. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** @returns the codes, after the dialog that shows them once */
async function saveRecoveryCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
  await expect(dialog).toBeVisible();
  const codes = await dialog.getByRole("listitem").allTextContents();
  await dialog.getByLabel("I have saved the recovery codes").check();
  await dialog.getByRole("button", { name: "Done" }).click();
  return codes;
}

const clearCookies = async (page: Page) => {
  await page.context().clearCookies();
  await page.goto("/login");
};

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
function codeOf(secret: string): string {
  const bits = [...secret].map((letter) => base32.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = (bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return totp(Buffer.from(bytes), stepAt(new Date()));
}

test("a passkey is added, signs in without a password, and confirms the identity @full", async ({
  page,
}) => {
  const { email, tenantSlug } = await signUp(page);
  await addAuthenticator(page);
  await page.goto(`/${tenantSlug}/test/settings/profile`);
  await page.getByRole("button", { name: "Add passkey" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Laptop");
  await page.getByRole("button", { name: "Continue" }).click();
  expect(await saveRecoveryCodes(page)).toHaveLength(10);
  await expect(page.getByRole("heading", { name: "Passkeys" })).toBeFocused();
  await expect(page.getByRole("rowheader", { name: "Laptop" })).toBeVisible();
  await expectNoViolations(page, "profile with a passkey");

  await clearCookies(page);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await expect(page).toHaveURL(new RegExp(`/${tenantSlug}/test$`));

  const age =
    "UPDATE sessions SET proved_at = now() - interval '11 minutes' WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await queryDatabase(age, [email]);
  await page.goto(`/${tenantSlug}/test/settings/profile`);
  await page.getByRole("button", { name: "Remove Laptop" }).click();
  await page.getByRole("button", { name: "Remove passkey" }).click();
  const question = page.getByRole("dialog", { name: "Confirm your identity" });
  await expect(question.getByLabel("Password")).toBeHidden();
  await question.getByRole("button", { name: "Continue with a passkey" }).click();
  await expect(page.getByText("Passkey removed.")).toBeVisible();
  await expect(page.getByRole("rowheader", { name: "Laptop" })).toBeHidden();
});

test("a member of an organization that requires a second factor adds an app before they get in, and signs in with its codes @full", async ({
  page,
}) => {
  const { email, tenantSlug } = await signUp(page);
  await queryDatabase("UPDATE tenants SET requires_second_factor = true WHERE slug = $1", [
    tenantSlug,
  ]);
  await page.goto(`/${tenantSlug}/test/customers`);
  await expect(page).toHaveURL(/\/second-factor\?/);
  await expectNoViolations(page, "second factor");
  await page.getByRole("button", { name: "Add authenticator app" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an authenticator app" });
  await expect(dialog.getByRole("textbox", { name: "Code" })).toBeFocused();
  await expect(dialog.getByRole("img", { name: "QR code with the key below" })).toBeVisible();
  await expectNoViolations(page, "setting up an authenticator app");
  const secret = (await dialog.locator("pre").textContent())?.trim() ?? "";
  await dialog.getByRole("textbox", { name: "Code" }).fill("000000");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByText("The code is incorrect.")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Code" }).fill(codeOf(secret));
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const [first = ""] = await saveRecoveryCodes(page);
  await expect(page.getByRole("link", { name: "Continue" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "Authenticator app" })).toBeFocused();
  await page.getByRole("link", { name: "Continue" }).click();
  await expect(page).toHaveURL(new RegExp(`/${tenantSlug}/test/customers$`));

  await clearCookies(page);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Enter a code" })).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Code" })).toBeFocused();
  await page.getByRole("textbox", { name: "Code" }).fill("no code");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByText("The code is incorrect or was already used.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Code" })).toBeFocused();
  await expectNoViolations(page, "entering a code");
  await page.getByRole("textbox", { name: "Code" }).fill(first);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/${tenantSlug}/test$`));
});
