import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";

test("live and test are isolated: no page of one shows data of the other", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const testKey = await newTestKey(page);
  const headers = { authorization: `Bearer ${testKey}` };
  const customer = await (
    await request.post("/v1/public/customers", { headers, data: { name: "Only in test" } })
  ).json();
  const response = await request.post("/v1/public/conversations", {
    headers,
    data: { channelId: "web", message: "Only in test" },
  });
  const requestId = response.headers()["x-request-id"] ?? "";
  const conversation = await response.json();

  // The row appears within two seconds. Only after that is its absence elsewhere meaningful.
  await expect(async () => {
    await page.goto(`/${tenantSlug}/test/logs/${requestId}`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("/v1/public/conversations", {
      timeout: 1_000,
    });
  }).toPass();
  await expect(page.getByText("TEST", { exact: true })).toBeVisible();

  const { key } = await (await request.get("/v1/public/account", { headers })).json();
  for (const path of [
    `customers/${customer.id}`,
    `conversations/${conversation.id}`,
    `api-keys/${key.id}`,
    `logs/${requestId}`,
  ]) {
    expect([path, (await page.goto(`/${tenantSlug}/test/${path}`))?.status()]).toEqual([path, 200]);
    // Its status is 200 if the shell was sent before the result was known, so check the content
    // instead.
    await page.goto(`/${tenantSlug}/live/${path}`);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page.getByText("TEST", { exact: true })).toBeHidden();
  }

  for (const place of [
    "customers",
    "conversations",
    "api-keys",
    "logs",
    "events",
    "webhooks",
    "usage",
    "",
  ]) {
    await page.goto(`/${tenantSlug}/live/${place}`);
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
    const text = (await page.locator("#content").textContent()) ?? "";
    const foreign = [
      "Only in test",
      customer.id,
      conversation.id,
      key.id,
      key.name,
      requestId,
    ].filter((part) => text.includes(part));
    expect([place, foreign]).toEqual([place, []]);
  }
});

test("switching stays on the page, and each environment's usage says whether it is billable", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/usage`);
  await expect(
    page.locator("header").filter({ hasText: "Usage" }).getByText("Not billable"),
  ).toBeVisible();
  await page
    .getByRole("navigation", { name: "Environment" })
    .getByRole("link", { name: "Live" })
    .click();
  await expect(page).toHaveURL(`/${tenantSlug}/live/usage`);
  await expect(
    page.locator("header").filter({ hasText: "by UTC day" }).getByText("Billable", { exact: true }),
  ).toBeVisible();
  await expect(page.getByRole("heading", { name: "Usage in test" })).toBeVisible();
  await expect(page.getByText("Not billable")).toBeVisible();
});

test("a month's usage can be exported, and spreadsheets do not execute a key's name @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("=HYPERLINK(0)");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByLabel("I have saved the API key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } });

  await page.goto(`/${tenantSlug}/test/usage`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole("row").filter({ hasText: "=HYPERLINK(0)" })).toBeVisible({
      timeout: 2_000,
    });
  }).toPass();
  await page.getByRole("button", { name: "Download CSV" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Usage by key" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(
    new RegExp(`^usage-${tenantSlug}-test-20\\d\\d-\\d\\d-by-key\\.csv$`),
  );
  const text = await (await file.createReadStream())
    .toArray()
    .then((parts) => Buffer.concat(parts).toString());
  expect(text).toContain("keyId,name,key,environment,billable,apiRequests\r\n");
  expect(text).toContain(`'=HYPERLINK(0),prl_test_…${key.slice(-4)},test,false,1\r\n`);

  const stranger = await request.get(`/api/dashboard/${tenantSlug}/test/usage?by=day`, {
    maxRedirects: 0,
  });
  expect([307, 303, 302]).toContain(stranger.status());
});
