import { expect, type Page, test } from "@playwright/test";
import { signUp } from "./sign-up";

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function createKey(page: Page, name: string) {
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
}

test("a test key is made, copied, used, and refused within a second of being revoked", async ({ page, request }) => {
  const { tenantSlug } = await signUp(page);
  await expect(page.getByText("TEST", { exact: true })).toBeVisible();

  await createKey(page, "Website backend");
  await page.getByRole("button", { name: "Create test key" }).click();
  await page.getByRole("button", { name: "Copy the API key" }).click();
  const key = await page.evaluate(() => navigator.clipboard.readText());
  expect(key).toMatch(/^prl_test_[0-9A-Za-z]{40}$/);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  const account = () => request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } });
  const answer = await account();
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toMatchObject({ environment: "test", key: { name: "Website backend" } });

  await page.reload();
  expect(await page.content()).not.toContain(key);
  await expect(row(page, "Website backend")).toContainText(`prl_test_…${key.slice(-4)}`);
  await expect(row(page, "Website backend")).toContainText("Active");

  await page.getByRole("button", { name: "Actions for Website backend" }).click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("test");
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(row(page, "Website backend")).toContainText("Revoked");
  await expect.poll(async () => (await account()).status(), { timeout: 1_000, intervals: [50] }).toBe(401);

  await page.getByRole("link", { name: "Live" }).click();
  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
  await expect(page.getByText("No live keys yet")).toBeVisible();
  await expect(page.getByText("TEST", { exact: true })).toBeHidden();
});

test("a key does what was chosen for it, and is not lost by a slip", async ({ page, request }) => {
  const { tenantSlug } = await signUp(page);

  await createKey(page, "Support desk");
  await page.getByLabel("Live").check();
  await page.getByRole("button", { name: "Messaging" }).click();
  await page.getByRole("group", { name: "Customers" }).getByLabel("Write", { exact: true }).check();
  await page.getByLabel("Expires").selectOption("7");
  await page.getByRole("button", { name: "Create live key" }).click();

  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  expect(key).toMatch(/^prl_live_/);
  // The dialog listens to keys a moment after it shows.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(page.getByText("it cannot be shown again")).toBeVisible({ timeout: 500 });
  }).toPass();
  await page.getByLabel("I have kept the API key").check();
  await page.getByRole("button", { name: "Done" }).click();

  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
  await expect(row(page, "Support desk")).toContainText("Expires soon");
  const status = async (path: string) =>
    (await request.get(`/v1/public/${path}`, { headers: { authorization: `Bearer ${key}` } })).status();
  expect(await status("conversations")).toBe(200);
  expect(await status("customers")).toBe(403);
  expect(await status("account")).toBe(403);
});

test("what is wrong with a new key is said beside it, and what was typed stays", async ({ page }) => {
  await signUp(page);

  await createKey(page, "   ");
  await page.getByRole("group", { name: "Usage and account" }).getByLabel("None").check();
  await page.getByLabel("Expires").selectOption("date");
  await page.getByLabel("Last day").fill("2020-01-01");
  await page.getByRole("button", { name: "Create test key" }).click();

  await expect(page.getByText("Give the key a name")).toBeVisible();
  await expect(page.getByText("Choose a time in the future")).toBeVisible();
  await expect(page.getByLabel("Last day")).toHaveValue("2020-01-01");
  await expect(page.getByRole("group", { name: "Usage and account" }).getByLabel("None")).toBeChecked();
});
