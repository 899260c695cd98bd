import type { Page } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { copy, expect, test } from "./test";

const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

async function createKey(page: Page, name: string) {
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
}

test("a test key is created, copied and used, and rejected after it is revoked", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  await expect(page.getByText("TEST", { exact: true })).toBeVisible();

  await createKey(page, "Website backend");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await copy(page, "Copy the API key");
  expect(key).toMatch(/^prl_test_[0-9A-Za-z]{40}$/);
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  const account = () =>
    request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } });
  const response = await account();
  expect(response.status()).toBe(200);
  expect(await response.json()).toMatchObject({
    environment: "test",
    key: { name: "Website backend" },
  });

  await page.reload();
  expect(await page.content()).not.toContain(key);
  await expect(row(page, "Website backend")).toContainText(`prl_test_…${key.slice(-4)}`);
  await expect(row(page, "Website backend")).toContainText("Active");

  await page.getByRole("button", { name: "Actions for Website backend" }).click();
  await page.getByRole("button", { name: "Revoke…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText("test");
  await page.getByRole("button", { name: "Revoke key" }).click();
  await expect(row(page, "Website backend")).toContainText("Revoked");
  await expect.poll(async () => (await account()).status()).toBe(401);

  await page.getByRole("link", { name: "Live" }).click();
  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
  await expect(page.getByText("No live keys yet")).toBeVisible();
  await expect(page.getByText("TEST", { exact: true })).toBeHidden();
});

test("a key has the selected scopes, and its dialog cannot be closed by accident", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);

  await createKey(page, "Support desk");
  await page.getByLabel("Live").check();
  await page.getByRole("button", { name: "Messaging" }).click();
  await page.getByRole("group", { name: "Customers" }).getByLabel("Write", { exact: true }).check();
  await page.getByLabel("Expires").selectOption("7");
  await page.getByRole("button", { name: "Create live key" }).click();

  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  expect(key).toMatch(/^prl_live_/);
  await page.keyboard.press("Escape");
  await expect(page.getByText("You haven’t copied the API key yet")).toBeVisible();
  await page.getByLabel("I have saved the API key").check();
  await page.getByRole("button", { name: "Done" }).click();

  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
  await expect(row(page, "Support desk")).toContainText("Expires soon");
  const status = async (path: string) =>
    (
      await request.get(`/v1/public/${path}`, { headers: { authorization: `Bearer ${key}` } })
    ).status();
  expect(await status("conversations")).toBe(200);
  expect(await status("customers")).toBe(403);
  expect(await status("account")).toBe(403);
});

test("errors of a new key appear next to the fields, and the input stays", async ({ page }) => {
  await signUp(page);

  await createKey(page, "   ");
  await page.getByRole("group", { name: "Usage, account and logs" }).getByLabel("None").check();
  await page.getByLabel("Expires").selectOption("date");
  await page.getByLabel("Last day").fill("2020-01-01");
  await page.getByRole("button", { name: "Create test key" }).click();

  await expect(page.getByText("Must not be empty")).toBeVisible();
  await expect(page.getByText("Must be in the future")).toBeVisible();
  await expect(page.getByLabel("Last day")).toHaveValue("2020-01-01");
  await expect(
    page.getByRole("group", { name: "Usage, account and logs" }).getByLabel("None"),
  ).toBeChecked();
});

test("a rolled key and its successor both work until the old one expires @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const old = await newTestKey(page);
  const status = async (key: string) =>
    (
      await request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } })
    ).status();
  const post = (key: string) =>
    request.post("/v1/public/customers", {
      headers: { authorization: `Bearer ${key}`, "idempotency-key": "before the roll" },
      data: { name: "Ada" },
    });
  const created = await (await post(old)).text();

  // The list is filtered by a status that the old key is about to leave. The dialog still shows the new key.
  await page.goto(`/${tenantSlug}/test/api-keys?status=active`);
  await page.getByRole("button", { name: "Actions for Tests" }).click();
  await page.getByRole("button", { name: "Rotate…" }).click();
  await page.getByLabel("1 hour").check();
  await expect(page.getByText("Both keys work until")).toBeVisible();
  await page.getByRole("button", { name: "Rotate test key" }).click();
  const successor = await page.getByLabel("API key", { exact: true }).inputValue();
  expect(successor).not.toBe(old);
  await page.getByRole("button", { name: "Copy the API key" }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  expect([await status(old), await status(successor)]).toEqual([200, 200]);
  const replayed = await post(successor);
  expect([await replayed.text(), replayed.headers()["idempotent-replayed"]]).toEqual([
    created,
    "true",
  ]);

  await page.goto(`/${tenantSlug}/test/api-keys`);
  const oldRow = page.getByRole("row").filter({ hasText: old.slice(-4) });
  await expect(oldRow).toContainText("Rotating");
  await expect(oldRow).toContainText(/ends in (1 h|\d+ m)/);
  await oldRow.getByRole("link", { name: "Tests" }).click();
  await expect(
    page.getByRole("link", { name: `Tests prl_test_…${successor.slice(-4)}` }),
  ).toBeVisible();
  await expect(page.getByText("rotated the key")).toBeVisible();

  const ends =
    "UPDATE api_keys SET expires_at = now() WHERE hint = $1 AND tenant_id = (SELECT id FROM tenants WHERE slug = $2)";
  await queryDatabase(ends, [`prl_test_…${old.slice(-4)}`, tenantSlug]);
  await expect.poll(() => status(old)).toBe(401);
  expect(await status(successor)).toBe(200);
  await page.reload();
  await expect(page.getByText("This key no longer works.")).toBeVisible();
});

test("a key gets a new name and other scopes, which apply immediately and appear on its page @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const status = async (path: string) =>
    (
      await request.get(`/v1/public/${path}`, { headers: { authorization: `Bearer ${key}` } })
    ).status();
  expect([await status("account"), await status("customers")]).toEqual([200, 200]);

  await page.goto(`/${tenantSlug}/test/api-keys`);
  await page.getByRole("link", { name: "Tests" }).click();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Reporting");
  await page.getByRole("group", { name: "Customers" }).getByLabel("None").check();
  await page.getByLabel("Requests per minute").fill("61");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByText("Must be at most 60, the limit of your plan")).toBeVisible();
  await page.getByLabel("Requests per minute").fill("30");
  await page.getByRole("button", { name: "Save changes" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Reporting");
  await expect(page.getByText("name: Tests → Reporting")).toBeVisible();
  await expect.poll(() => status("customers")).toBe(403);
  expect(await status("account")).toBe(200);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("row").filter({ hasText: "insufficient-scope" })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
  await page
    .getByRole("row")
    .filter({ hasText: "insufficient-scope" })
    .first()
    .getByRole("link")
    .click();
  await expect(page.getByRole("link", { name: "Explain this error" })).toHaveAttribute(
    "href",
    "/docs/errors/insufficient-scope",
  );
});

test("a key is created and revoked with the keyboard only, and the focus is restored", async ({
  page,
  request,
}) => {
  await signUp(page);
  const create = page.getByRole("button", { name: "Create API key" });
  await create.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Create API key" });
  await expect(dialog.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("By keyboard");
  await page.keyboard.press("Enter");
  const shown = page.getByLabel("API key", { exact: true });
  await expect(shown).toBeFocused();
  const key = await shown.inputValue();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  const menu = page.getByRole("button", { name: "Actions for By keyboard" });
  await menu.focus();
  await page.keyboard.press("Enter");
  const revoke = page.getByRole("button", { name: "Revoke…" });
  await revoke.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alertdialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("alertdialog")).toBeHidden();
  await expect(menu).toBeFocused();

  await page.keyboard.press("Enter");
  await revoke.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Revoke key" }).focus();
  await page.keyboard.press("Enter");
  await expect(row(page, "By keyboard")).toContainText("Revoked");
  const response = () =>
    request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } });
  await expect.poll(async () => (await response()).status()).toBe(401);
});
