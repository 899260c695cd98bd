import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, settled } from "./test";

export const password = "correct horse battery";

/** A new user with their own organization, on the page of its test keys. */
export async function signUp(page: Page, { organization = "", name = "Ada Lovelace" } = {}) {
  const mark = randomBytes(4).toString("hex");
  const email = `${name.split(" ")[0]?.toLowerCase()}-${mark}@example.com`;
  await page.setExtraHTTPHeaders({ "X-Forwarded-For": `10.${randomBytes(3).join(".")}` });
  await page.goto("/signup");
  await page.getByLabel("Organization").fill(organization || `Engines ${mark}`);
  await page.getByLabel("Your name").fill(name);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/test$/);
  const [, tenantSlug = ""] = new URL(page.url()).pathname.split("/");
  await page.goto(`/${tenantSlug}/test/api-keys`);
  return { email, tenantSlug };
}

/**
 * Creates a test key with every scope, on the page of keys. @returns the key
 */
export async function newTestKey(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Tests");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByLabel("I have saved the API key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  return key;
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /account and organizations/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  // A visit before the session has ended would cancel the request that ends it.
  await expect(page).toHaveURL(/\/login/);
  await settled(page);
}
