import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";

test("errors without a field are shown in the dialog, typed input is not lost to Escape, and a second dialog dims the first", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/customers`);
  await page.getByRole("button", { name: "Create customer" }).click();
  const dialog = page.getByRole("dialog", { name: "Create customer" });
  await dialog.getByRole("button", { name: "Create customer" }).click();
  await expect(dialog.getByRole("alert")).toContainText("at least one of");

  await dialog.getByLabel("Name").fill("Ada");
  await page.keyboard.press("Escape");
  const question = page.getByRole("alertdialog", { name: "Discard your input?" });
  await expect(question).toBeVisible();
  // Each dialog has a scrim of its own.
  await expect(page.locator("[role=presentation].fixed.inset-0")).toHaveCount(2);
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toBeHidden();
  await expect(dialog.getByLabel("Name")).toHaveValue("Ada");
  await page.keyboard.press("Escape");
  await question.getByRole("button", { name: "Discard input" }).click();
  await expect(dialog).toBeHidden();
});

test("the webhook form shows all errors at once, focuses the first, and asks before it is left", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const webhooks = `/${tenantSlug}/test/webhooks`;
  await page.goto(`${webhooks}/new`);
  const url = page.getByLabel("URL");
  await url.fill("not a url");
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("Must be a complete URL")).toBeVisible();
  await expect(page.getByText("Must have at least one event")).toBeVisible();
  await expect(url).toBeFocused();
  await url.fill("https://example.com/hooks");
  await page.getByRole("button", { name: "Create test webhook" }).click();
  const all = page.getByLabel(/^All events/);
  await expect(all).toBeFocused();

  // The error disappears with its cause, and appears again if that is still there.
  const picker = page.getByRole("group", { name: "Events", exact: true });
  await expect(picker.locator(".border-danger")).toHaveCount(1);
  await all.check();
  await expect(picker.locator(".border-danger")).toHaveCount(0);
  await expect(all).not.toHaveAttribute("aria-invalid");
  await all.uncheck();
  await expect(picker).toContainText("Choose at least one");
  await expect(picker.locator(".border-danger")).toHaveCount(0);
  await url.fill("http:");
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("Must have at least one event")).toBeVisible();
  await expect(url).toHaveAttribute("aria-invalid", "true");
  await url.fill("https://example.com/hooks");
  await expect(url).not.toHaveAttribute("aria-invalid");
  await expect(page.getByText("Must have at least one event")).toBeVisible();

  await page.getByRole("link", { name: "Cancel" }).click();
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(question).toBeHidden();
  await expect(url).toHaveValue("https://example.com/hooks");
  await page.getByRole("link", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL(webhooks);
});

test("a button keeps the focus while it works, and ignores what is pressed meanwhile", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/settings`);
  let sent = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/settings$/, async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    sent += 1;
    await held;
    await route.continue();
  });
  const name = page.getByLabel("Name", { exact: true });
  const button = page.getByRole("button", { name: /^(Save name|Saving…)$/ });
  await name.fill("Northlane");
  await button.press("Enter");
  await expect(button).toHaveText("Saving…");
  await expect(button).toBeDisabled();
  await expect(button).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  await name.press("Enter");
  await button.focus();
  release();
  await expect(page.getByText("Name saved.")).toBeVisible();
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
  expect(sent).toBe(1);
});

test("the error of a field disappears when the field is edited, in every form @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  // Without a conversation, the inbox offers no views.
  const created = await request.post("/v1/public/conversations", {
    data: { channelId: "web" },
    headers: { authorization: `Bearer ${await newTestKey(page)}` },
  });
  expect(created.status()).toBe(201);
  const base = `/${tenantSlug}/test`;
  await page.goto(`${base}/settings/profile`);
  const current = page.getByLabel("Current password");
  await current.fill("wrong password");
  await page.getByLabel("New password").fill("correct horse battery staple");
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(current).toHaveAttribute("aria-invalid", "true");
  await current.press("End");
  await current.press("Backspace");
  await expect(current).not.toHaveAttribute("aria-invalid");

  await page.goto(`${base}/conversations?status=PENDING`);
  await page.getByRole("button", { name: "Saved views" }).click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("   ");
  await page.getByRole("button", { name: "Save view" }).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await name.fill("Waiting");
  await expect(name).not.toHaveAttribute("aria-invalid");

  await page.goto(`${base}/agents`);
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Support");
  await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
  await expect(page.getByRole("heading", { name: "Support", level: 1 })).toBeFocused();
  await name.fill("   ");
  await page.getByRole("button", { name: "Save draft" }).click();
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await name.fill("Sales");
  await expect(name).not.toHaveAttribute("aria-invalid");
  await page.getByRole("button", { name: "Discard" }).click();

  await page.goto(`${base}/webhooks/new`);
  await page.getByLabel("URL").fill("https://example.com/hooks");
  await page.getByLabel(/^All events/).check();
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await page.getByLabel("I have saved the signing secret").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(
    page.getByRole("heading", { level: 1, name: "https://example.com/hooks" }),
  ).toBeFocused();
  await page.getByRole("button", { name: "Replay…" }).click();
  const dialog = page.getByRole("dialog", { name: "Replay events" });
  await dialog.getByLabel("Period").selectOption("Choose times…");
  await dialog.getByLabel("From (UTC)").fill("2026-01-02T00:00");
  const end = dialog.getByLabel("To (UTC), or now");
  await end.fill("2026-01-01T00:00");
  await dialog.getByRole("button", { name: "Count events" }).click();
  await expect(end).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("Which events").selectOption("Delivered events");
  await expect(end).toHaveAttribute("aria-invalid", "true");
  await dialog.getByLabel("From (UTC)").fill("2025-12-31T00:00");
  await expect(end).not.toHaveAttribute("aria-invalid");
});

test("Back, Forward and the command palette ask before unsaved changes are lost, and then go where they were asked to", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const webhooks = `/${tenantSlug}/test/webhooks`;
  await page.goto(webhooks);
  await page.getByRole("link", { name: "Create webhook" }).first().click();
  await expect(page).toHaveURL(`${webhooks}/new`);
  const url = page.getByLabel("URL", { exact: true });
  await url.fill("https://example.com/hooks");
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  for (const round of [1, 2]) {
    await page.evaluate(() => window.history.back());
    await question.getByRole("button", { name: "Keep editing" }).click();
    await expect(question, String(round)).toBeHidden();
    await expect(page).toHaveURL(`${webhooks}/new`);
    await expect(url).toHaveValue("https://example.com/hooks");
  }

  await page.keyboard.press("Control+k");
  await page.getByPlaceholder("Page, action, name, URL or ID").fill("Customers");
  await page.keyboard.press("Enter");
  await question.getByRole("button", { name: "Keep editing" }).click();
  await expect(url).toHaveValue("https://example.com/hooks");

  await page.evaluate(() => window.history.back());
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL(webhooks);
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
});

test("on a slow connection, a second filter adds to the first, and both keep what was chosen", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await newTestKey(page);
  await page.goto(`/${tenantSlug}/test/logs`);
  // The pages of the filters arrive only after both were chosen.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/logs\?/, async (route) => {
    await released;
    await route.continue();
  });
  const method = page.getByLabel("Method");
  const status = page.getByLabel("Status");
  await method.evaluate((select: HTMLSelectElement) => {
    select.value = "POST";
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
  await expect(method).toHaveValue("POST");
  await expect(page.getByRole("progressbar", { name: "Loading" })).toBeVisible();
  const value = await status.evaluate((select: HTMLSelectElement) => {
    select.value = select.options[1]?.value ?? "";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    return select.value;
  });
  await expect(status).toHaveValue(value);
  await expect(method).toHaveValue("POST");
  release();
  await expect(page).toHaveURL(
    (address) =>
      address.searchParams.get("method") === "POST" && [...address.searchParams].length >= 2,
  );
  await expect(method).toHaveValue("POST");
  await expect(status).toHaveValue(value);
});

test("a filter that is left unchanged changes nothing, and a day that does not exist is explained @full", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const since = "2026-01-01T10:20:30Z";
  await page.goto(`/${tenantSlug}/test/events?since=${since}`);
  // It shows no seconds.
  await page.getByLabel(/^From/).focus();
  await page.keyboard.press("Shift+Tab");
  await page.getByLabel("Type", { exact: true }).selectOption("customer.created");
  await expect(page).toHaveURL(({ searchParams }) => searchParams.has("type"));
  expect(new URL(page.url()).searchParams.get("since")).toBe(since);

  await page.goto(`/${tenantSlug}/test/conversations?updatedSince=2026-99-99`);
  await expect(page.getByRole("heading", { name: "This link is not valid" })).toBeVisible();
});

test("a form keeps its input when no response comes, or when a part of the page cannot be loaded", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/customers`);
  await page.getByRole("button", { name: "Create customer" }).click();
  const dialog = page.getByRole("dialog", { name: "Create customer" });
  await dialog.getByLabel("Name").fill("Grace Hopper");
  await page.route("**/customers", (route) =>
    route.request().method() === "POST" ? route.abort("connectionreset") : route.continue(),
  );
  const submit = dialog.getByRole("button", { name: "Create customer" });
  await submit.click();
  await expect(dialog.getByText("No response came")).toBeVisible();
  await expect(dialog.getByLabel("Name")).toHaveValue("Grace Hopper");
  await page.unroute("**/customers");
  await submit.click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Grace Hopper");

  await page.goto(`/${tenantSlug}/test/webhooks/new`);
  const url = page.getByLabel("URL", { exact: true });
  await url.fill("https://example.com/hook");
  await page.getByLabel(/^All events/).check();
  await page.route("**/_next/static/**", (route) => route.abort("connectionreset"));
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("A part of this page could not be loaded.")).toBeVisible();
  await expect(url).toHaveValue("https://example.com/hook");
});

test("without a connection, links, filters, the palette and a drawer leave the page as it is, and say why", async ({
  page,
  context,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  await page.request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } });
  const base = `/${tenantSlug}/test`;
  const offline = page.getByText("You are offline. Try again when you are connected.");

  await page.goto(`${base}/webhooks/new`);
  await page.getByLabel("Description").fill("Typed before the tunnel");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Events" }).click();
  await expect(offline).toBeVisible();
  await expect(page.getByLabel("Description")).toHaveValue("Typed before the tunnel");
  await context.setOffline(false);
  await page.getByLabel("Description").fill("");

  // The log is written within two seconds of a response.
  const request = page.getByRole("row").filter({ hasText: "/account" }).getByRole("link");
  await expect(async () => {
    await page.goto(`${base}/logs`);
    await expect(request).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await request.click();
  const drawer = page.getByRole("dialog").filter({ hasText: "Copy as curl" });
  await expect(drawer).toBeVisible();
  await context.setOffline(true);
  const opened = page.url();
  await drawer.getByRole("button", { name: "Close" }).click();
  await expect(offline).toBeVisible();
  await expect(drawer).toBeVisible();
  await context.setOffline(false);
  await drawer.getByRole("button", { name: "Close" }).click();
  await expect(drawer).toBeHidden();
  await expect(page).not.toHaveURL(opened);

  await context.setOffline(true);
  await page.getByLabel("Status").selectOption("4xx");
  await page.getByRole("link", { name: "Customers" }).click();
  await page.keyboard.press("Control+k");
  await expect(offline).toBeVisible();
  await expect(page).toHaveURL(`${base}/logs`);
  await expect(page.getByRole("heading", { level: 1, name: "Logs" })).toBeVisible();
  await context.setOffline(false);
  await page.getByRole("link", { name: "Customers" }).click();
  await expect(page).toHaveURL(`${base}/customers`);
});
