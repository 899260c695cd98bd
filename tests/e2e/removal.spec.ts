import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoViolations, watch } from "./watch";

test("a conversation and a customer are deleted, a customer is erased, and retention shows what it would delete @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;
  const findings = watch(page);
  const create = async (path: string, data: object): Promise<{ id: string }> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await request.post(`/v1/public${path}`, { headers, data });
    expect(response.status()).toBe(201);
    return response.json();
  };
  const [first, second] = [
    await create("/customers", { name: "Grace Hopper" }),
    await create("/customers", { name: "Mary Jackson" }),
  ];
  const { id } = await create("/conversations", { channelId: "web", customerId: first.id });
  await create("/conversations", { channelId: "web", customerId: second.id });

  await page.goto(`${base}/conversations/${id}`);
  await page.getByRole("button", { name: "Delete conversation…" }).click();
  const dialog = page.getByRole("alertdialog");
  await expectNoViolations(page, "the deletion of a conversation");
  await dialog.getByRole("button", { name: "Delete conversation" }).click();
  await expect(page).toHaveURL(`${base}/conversations`);
  await expect(page.getByRole("heading", { name: "Conversations", level: 1 })).toBeFocused();
  await expect(page.getByText("Conversation deleted.")).toBeVisible();

  await page.goto(`${base}/customers/${second.id}`);
  await page.getByRole("button", { name: "Delete…" }).click();
  await expect(dialog).toContainText("This deletes 1 conversation of this customer");
  await dialog.getByRole("button", { name: "Delete customer" }).click();
  await expect(page).toHaveURL(`${base}/customers`);
  await expect(page.getByRole("heading", { name: "Customers", level: 1 })).toBeFocused();
  await expect(page.getByRole("link", { name: "Grace Hopper" })).toBeVisible();
  await expect(page.getByRole("link", { name: "Mary Jackson" })).toHaveCount(0);

  await page.goto(`${base}/customers/${first.id}`);
  await page.getByRole("button", { name: "Erase…" }).click();
  await dialog.getByRole("button", { name: "Erase customer" }).click();
  await expect(page.getByText("Erasure started.")).toBeVisible();
  await expect(page.getByText("Grace Hopper")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Erased customer", level: 1 })).toBeVisible();

  await page.goto(`${base}/settings/retention`);
  await page.getByLabel("Request logs").fill("0");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Must be a whole number of days from 1 to 30")).toBeVisible();
  // The name of the field in the API is not shown.
  await expect(page.getByText("requestLogs")).toHaveCount(0);
  await page.getByLabel("Request logs").fill("");
  await expect(page.getByText("Must be a whole number of days from 1 to 30")).toHaveCount(0);
  await page.getByLabel("Closed conversations").fill("30");
  await page.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText("Nothing is old enough to be deleted now.")).toBeVisible();
  await expectNoViolations(page, "retention");
  await page.getByRole("button", { name: "Save…" }).click();
  await dialog.getByRole("button", { name: "Change retention" }).click();
  await expect(page.getByText("Retention changed.")).toBeVisible();
  expect(findings).toEqual([]);
});

test("an owner deletes the organization by typing its slug, and its key stops working @full", async ({
  page,
  request,
}) => {
  const { tenantSlug, email } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const status = async () => (await request.get("/v1/public/account", { headers })).status();
  expect(await status()).toBe(200);

  await page.goto(`/${tenantSlug}/test/settings`);
  await page.getByRole("button", { name: "Delete organization…" }).click();
  const dialog = page.getByRole("alertdialog");
  await expectNoViolations(page, "the deletion of an organization");
  const confirm = dialog.getByRole("button", { name: "Delete organization" });
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(`Type “${tenantSlug}” to confirm`).fill(tenantSlug);
  await confirm.click();
  // A user without an organization can create one.
  await expect(page).toHaveURL("/welcome");
  await expect.poll(status).toBe(401);
  const gone = await page.goto(`/${tenantSlug}/test`);
  expect(gone?.status()).toBe(404);

  // They can also delete their account, which they could not while they were the only owner.
  await page.goto("/welcome");
  await page.getByRole("button", { name: "Delete account…" }).click();
  await expect(dialog).toContainText("This applies to your account.");
  await dialog.getByLabel(`Type “${email}” to confirm`).fill(email);
  await dialog.getByRole("button", { name: "Delete account" }).click();
  await expect(page).toHaveURL("/login");
  await page.goto("/welcome");
  await expect(page).toHaveURL(/\/login/);
  expect(await queryDatabase("SELECT 1 FROM users WHERE email = $1", [email])).toEqual([]);
});
