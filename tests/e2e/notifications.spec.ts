import type { Browser } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

/** The link in the mail to this address. Only a browser on this machine sees the page of mails. */
async function mailedLink(browser: Browser, email: string, text: string): Promise<string> {
  const visitor = await newVisitor(browser);
  const page = await visitor.newPage();
  const mail = page.getByRole("listitem").filter({ hasText: email }).filter({ hasText: text });
  await expect(async () => {
    await page.goto(process.env.PRODUCT_MAIL_PAGE ?? "");
    expect(await mail.count()).toBe(1);
  }).toPass();
  const href = await mail.getByRole("link").first().getAttribute("href");
  await visitor.close();
  return new URL(href ?? "").pathname;
}

test("a member sees who assigned or mentioned them, opens it, and chooses what they get @full", async ({
  page,
  browser,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const post = async (path: string, data: object, method: "post" | "patch" = "post") =>
    (
      await page.request[method](`/v1/public${path}`, {
        headers: { authorization: `Bearer ${key}` },
        data,
      })
    ).json();
  const conversation = await post("/conversations", { channelId: "web", subject: "Order 4411" });
  const [user] = await queryDatabase<{ id: string }>("SELECT id FROM users WHERE email = $1", [
    email,
  ]);
  await post(`/conversations/${conversation.id}`, { assigneeId: user?.id }, "patch");

  await page.goto(`/${tenantSlug}/test`);
  const bell = page.getByRole("link", { name: "Notifications 1 unread" });
  await expect(bell).toBeVisible();
  await bell.click();
  await expect(page.getByText("An API key assigned you a conversation")).toBeVisible();
  await expectNoViolations(page, "notifications");
  await page.getByRole("link", { name: /Order 4411/ }).click();
  await expect(page).toHaveURL(new RegExp(conversation.id));
  await expect(page.getByRole("link", { name: "Notifications", exact: true })).toBeVisible();

  await page.goto(`/${tenantSlug}/test/settings/notifications`);
  const assigned = page.getByRole("group", { name: "A conversation is assigned to you" });
  await assigned.getByLabel("Dashboard").uncheck();
  await expect(page.getByText("Notifications saved.")).toBeVisible();
  await expectNoViolations(page, "notification settings");
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoOverflow(page, "notification settings");
  await page.reload();
  await expect(assigned.getByLabel("Dashboard")).not.toBeChecked();
  await expect(assigned.getByLabel("Email")).toBeChecked();

  // Another organization's page does not exist for them.
  const visitor = await newVisitor(browser);
  const stranger = await visitor.newPage();
  await signUp(stranger);
  const hidden = await stranger.request.get(`/${tenantSlug}/test/notifications/unread`);
  expect(hidden.status()).toBe(404);
  await visitor.close();
});

test("what pages read without a click is throttled for each user", { tag: "@full" }, async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const unread = `/${tenantSlug}/test/notifications/unread`;
  const status = async (path: string) => (await page.request.get(path)).status();
  await expect(async () => {
    const found = await Promise.all(Array.from({ length: 100 }, () => status(unread)));
    expect(found).toContain(429);
  }).toPass();
  const api = `/api/dashboard/${tenantSlug}/test`;
  for (const path of [
    unread,
    `${api}/usage?by=day`,
    `${api}/knowledge-bases/kb_00000000000000000000000000/documents/doc_00000000000000000000000000/file`,
  ]) {
    const refused = await page.request.get(path);
    expect(refused.status(), path).toBe(429);
    expect(Number(refused.headers()["retry-after"])).toBeGreaterThan(0);
  }
});

test("the browser shows a new assignment, if the user turned that on", { tag: "@full" }, async ({
  page,
  context,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  await context.grantPermissions(["notifications"]);
  await page.addInitScript(() => {
    const shown: string[] = [];
    // Chromium without a window shows none.
    class Shown {
      static permission = "granted";
      static requestPermission = async () => "granted";
      constructor(_title: string, { body }: { body: string }) {
        shown.push(body);
      }
    }
    Object.assign(window, { Notification: Shown, shown });
  });
  const [user] = await queryDatabase<{ id: string }>("SELECT id FROM users WHERE email = $1", [
    email,
  ]);
  const headers = { authorization: `Bearer ${key}` };
  async function assign(): Promise<void> {
    const data = { channelId: "web" };
    const made = await page.request.post("/v1/public/conversations", { headers, data });
    const { id } = await made.json();
    const change = { headers, data: { assigneeId: user?.id } };
    await page.request.patch(`/v1/public/conversations/${id}`, change);
  }
  await assign();
  await page.goto(`/${tenantSlug}/test/settings/notifications`);
  await page.getByRole("button", { name: "Turn on in this browser" }).click();
  await expect(page.getByRole("button", { name: "Turn off in this browser" })).toBeVisible();
  // The first page shows nothing, because everything is old.
  await page.goto(`/${tenantSlug}/test`);
  await expect(page.getByRole("link", { name: "Notifications 1 unread" })).toBeVisible();
  const shown = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
  expect(await shown()).toEqual([]);
  // An open page looks for new ones now and then, and would show it first.
  await page.goto("about:blank");
  await assign();
  await page.goto(`/${tenantSlug}/test`);
  await expect(page.getByRole("link", { name: "Notifications 2 unread" })).toBeVisible();
  expect(await shown()).toEqual(["An API key assigned you a conversation"]);
});

test("a user changes their address, and the old address reverses the change", {
  tag: "@full",
}, async ({ page, browser }) => {
  const { email, tenantSlug } = await signUp(page);
  const verify = "UPDATE users SET email_verified_at = now() WHERE email = $1";
  await queryDatabase(verify, [email]);
  const profile = `/${tenantSlug}/test/settings/profile`;
  const next = `new-${email}`;
  await page.goto(profile);
  await page.getByRole("button", { name: "Change email" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("New email address").fill("nonsense@x");
  await dialog.getByRole("button", { name: "Send link" }).click();
  await expect(dialog.getByText("must be a valid email address").first()).toBeVisible();
  await dialog.getByLabel("New email address").fill(next);
  await dialog.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByText(`Waiting for the link sent to ${next}`)).toBeVisible();
  await expectNoViolations(page, "profile with a requested address");

  await page.goto(await mailedLink(browser, next, "Confirm the new address"));
  await expectNoViolations(page, "confirmation of a new address");
  await page.getByRole("button", { name: "Change address" }).click();
  await expect(page).toHaveURL(new RegExp(profile));
  await expect(page.getByRole("main").getByText(next, { exact: true })).toBeVisible();

  await page.goto(await mailedLink(browser, email, "Reverse the change"));
  await page.getByRole("button", { name: "Reverse the change" }).click();
  await expect(page.getByText("The change of your address was reversed.")).toBeVisible();
  const [found] = await queryDatabase("SELECT password_hash FROM users WHERE email = $1", [email]);
  expect(found).toEqual({ password_hash: null });
});

test("an owner sees that the storage reached 80%, and opens the usage", { tag: "@full" }, async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const fill = `INSERT INTO storage_days (tenant_id, environment, day, size_bytes)
    SELECT id, 'test', '2026-01-01', 850000000 FROM tenants WHERE slug = $1`;
  await queryDatabase(fill, [tenantSlug]);
  const unread = async () => {
    const found = await page.request.get(`/${tenantSlug}/test/notifications/unread`);
    return ((await found.json()) as { sentence: string }[]).map(({ sentence }) => sentence);
  };
  await expect.poll(unread).toEqual(["Storage reached 80% of its quota"]);

  await page.goto(`/${tenantSlug}/test/notifications`);
  await expectNoViolations(page, "notifications with a quota");
  await page.getByRole("link", { name: /Storage reached 80%/ }).click();
  await expect(page).toHaveURL(/\/usage$/);
  await expect(page.getByText("At 100%, uploads are rejected.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Notifications", exact: true })).toBeVisible();

  await page.goto(`/${tenantSlug}/test/settings/notifications`);
  const quota = page.getByRole("group", { name: /Storage reaches 80% or 100%/ });
  await quota.getByLabel("Dashboard").uncheck();
  await expect(page.getByText("Notifications saved.")).toBeVisible();
  await page.reload();
  await expect(quota.getByLabel("Dashboard")).not.toBeChecked();
  await expect(quota.getByLabel("Email")).toBeChecked();
});
