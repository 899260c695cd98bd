import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, settled } from "./test";

export const password = "correct horse battery";

/**
 * A new user with their own organization, on the page of its test keys. Sends the form as a browser
 * without JavaScript does, in a fraction of the time. newcomer.spec.ts fills it in.
 */
export async function signUp(page: Page, { organization = "", name = "Ada Lovelace" } = {}) {
  const mark = randomBytes(4).toString("hex");
  const email = `${name.split(" ")[0]?.toLowerCase()}-${mark}@example.com`;
  const headers = { "X-Forwarded-For": `10.${randomBytes(3).join(".")}` };
  await page.setExtraHTTPHeaders(headers);
  const form = await page.request.get("/signup", { headers });
  const response = await page.request.post("/signup", {
    headers: { ...headers, Origin: new URL(form.url()).origin },
    multipart: {
      ...hiddenFields(await form.text()),
      ...{ organization: organization || `Engines ${mark}`, name, email, password },
    },
    maxRedirects: 0,
  });
  expect(response.headers().location).toMatch(/^\/[^/]+\/test$/);
  const [, tenantSlug = ""] = response.headers().location?.split("/") ?? [];
  await page.goto(`/${tenantSlug}/test/api-keys`);
  return { email, tenantSlug };
}

/** What names the server action of a form. */
const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/<input type="hidden" name="([^"]*)"(?: value="([^"]*)")?/g)].map(
      ([, name = "", value = ""]) => [name, value.replaceAll("&quot;", '"')],
    ),
  );

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
