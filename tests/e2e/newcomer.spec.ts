import { execFile } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Page } from "@playwright/test";
import { type Receiver, startReceiver } from "../support/receiver";
import { password, signUp } from "./sign-up";
import { copy, expect, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

let receiver: Receiver;
test.beforeEach(async () => {
  receiver = await startReceiver();
});
test.afterEach(() => receiver.close());

const run = promisify(execFile);

/** Copies a command from the page and runs it in a shell, as a new user does. */
async function runCopied(page: Page, button: string): Promise<string> {
  const command = await copy(page, button);
  const { stdout } = await run("bash", [
    "-c",
    `${command.replace(/^curl /, "curl --silent --show-error ")}`,
  ]);
  return stdout;
}

const step = (page: Page, title: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title }) });

test("a new user gets from sign-up to a received webhook, and to live, by following the page", async ({
  page,
}) => {
  const mark = randomBytes(4).toString("hex");
  const overview = `/newcomers-${mark}/test`;
  await page.goto("/signup");
  await page.getByLabel("Organization").fill(`Newcomers ${mark}`);
  await page.getByLabel("Your name").fill("Grace Hopper");
  await page.getByLabel("Email").fill(`grace-${mark}@example.com`);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(overview);
  await expect(page.getByText("0 of 4 done")).toBeVisible();

  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("My laptop");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await copy(page, "Copy the API key");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("1 of 4 done")).toBeVisible();

  // The command contains the new key, and the page shows requests without being reloaded. A rejected
  // request is shown with an explanation, and does not complete the step.
  const refused = await page.request.post("/v1/public/conversations", {
    headers: { authorization: `Bearer ${key}` },
    data: {},
  });
  expect(refused.status()).toBe(422);
  const request = step(page, "Send your first request");
  await expect(request).toContainText("422 Unprocessable");
  await expect(request).toContainText(/\d+ ms/);
  await expect(request).toContainText("The response was 422: Validation failed.");
  await expect(request).toContainText("channelId");
  await expect(page.getByText("1 of 4 done")).toBeVisible();
  await expect(page.getByText("This command contains your new key.")).toBeVisible();
  const created = JSON.parse(await runCopied(page, "Copy the curl command"));
  expect(created).toMatchObject({ environment: "test", channelId: "web" });
  await expect(page.getByText("2 of 4 done")).toBeVisible();
  await expect(request).toContainText("/v1/public/conversations");
  await expect(request).toContainText("201 Created");
  await expect(request).not.toContainText("Validation failed");

  await page.getByRole("link", { name: "Create webhook" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/hook`);
  await page.getByRole("checkbox", { name: /^conversation\.\*/ }).check();
  await page.getByRole("button", { name: "Create test webhook" }).click();
  const secret = await copy(page, "Copy the signing secret");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.goto(overview);
  await step(page, "Receive an event").getByRole("button", { name: "Send test event" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Test event" })).toContainText(
    "Test event delivered",
  );
  await expect.poll(() => receiver.requests.length).toBe(1);
  const [arrived] = receiver.requests;
  const [, time, signature] =
    /^t=(\d+),v1=([0-9a-f]{64})/.exec(String(arrived?.headers["x-service-signature"])) ?? [];
  expect(JSON.parse(arrived?.body ?? "")).toMatchObject({ type: "webhook.test" });
  expect(createHmac("sha256", secret).update(`${time}.${arrived?.body}`).digest("hex")).toBe(
    signature,
  );

  await page.goto(overview);
  await expect(page.getByText("3 of 4 done")).toBeVisible();
  expect(await page.content()).not.toContain(key);
  await page.getByRole("button", { name: "Create live key" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Production");
  await page.getByRole("button", { name: "Create live key" }).click();
  await expect(page.getByLabel("API key", { exact: true })).toHaveValue(/^prl_live_/);
  expect(JSON.parse(await runCopied(page, "Copy the curl command"))).toMatchObject({
    environment: "live",
  });
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.goto(overview);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(page.getByText("All done")).toBeVisible();
  await expect(step(page, "Go live")).toBeHidden();
  await page.getByText("Show", { exact: true }).click();
  await expect(step(page, "Go live")).toBeVisible();
  const received = step(page, "Receive an event");
  await expect(received).toContainText(`${receiver.url}/hook has received an event.`);

  // The page of live says that this happened in test.
  await page.goto(overview.replace(/test$/, "live"));
  await page.getByText("Show", { exact: true }).click();
  await expect(request).toContainText("Latest request in test:");
  await expect(received).toContainText(`${receiver.url}/hook has received an event in test.`);
});

test("a new user resolves a conversation, and finds the second factor from the first page, which can wait", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const overview = `/${tenantSlug}/test`;
  await page.goto(overview);
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.getByRole("button", { name: "Create conversation" }).click();
  await page.getByLabel("What the customer writes").fill("Where is my order?");
  await page.getByRole("dialog").getByRole("button", { name: "Create conversation" }).click();
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(page.getByText("Resolved.", { exact: true })).toBeVisible();

  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("link", { name: "Add second factor" }).click();
  const panel = page.locator("#second-factor");
  await expect(panel.getByRole("button", { name: "Add authenticator app" })).toBeInViewport();
  await page.goBack();
  await page.getByRole("button", { name: /account and organizations/ }).click();
  await page.getByRole("link", { name: "Second factor", exact: true }).click();
  await expect(panel).toBeInViewport();

  await page.goto(overview);
  await page.getByRole("button", { name: "Not now" }).click();
  const hint = page.getByRole("link", { name: "Add second factor" });
  await expect(hint).toBeHidden();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(hint).toBeHidden();
});

for (const look of [{ name: "light", colorScheme: "light" as const, width: 1280 }]) {
  test(`the first overview, ${look.name}: axe reports no violations and nothing overflows`, {
    tag: "@full",
  }, async ({ page }) => {
    const mark = randomBytes(4).toString("hex");
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.goto("/signup");
    await page.getByLabel("Organization").fill(`Looks ${mark}`);
    await page.getByLabel("Your name").fill("Grace Hopper");
    await page.getByLabel("Email").fill(`looks-${mark}@example.com`);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByText("0 of 4 done")).toBeVisible();
    await expectNoViolations(page, look.name);
    await expectNoOverflow(page, look.name);
    await page.getByRole("button", { name: "Create API key" }).click();
    await expect(page.getByRole("dialog", { name: "Create API key" })).toBeVisible();
    await expectNoViolations(page, `${look.name}, creating a key`);
    await expectNoOverflow(page, `${look.name}, creating a key`);
  });
}
