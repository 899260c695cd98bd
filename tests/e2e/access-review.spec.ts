import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { newTestKey, password, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, expectNoViolations, watch } from "./watch";

const newPassword = "another horse battery";

/**
 * Requests a new password for the address, opens the link in the email, and sets it. @returns the
 * dashboard of the owner of the address
 */
async function takeOver(browser: Browser, email: string): Promise<Page> {
  const page = await (await newVisitor(browser)).newPage();
  await page.goto("/password");
  await page.getByLabel("Email").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByText(email)).toBeVisible();

  const mail = page
    .getByRole("listitem")
    .filter({ hasText: email })
    .filter({ hasText: "Set a new password" });
  await expect(async () => {
    await page.goto(process.env.PRODUCT_MAIL_PAGE ?? "");
    expect(await mail.count()).toBe(1);
  }).toPass();
  await mail.getByRole("link").first().click();
  await page.getByLabel("New password").fill(newPassword);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await expect(page).toHaveURL(/\/test$/);
  return page;
}

const useKey = async (request: APIRequestContext, key: string) =>
  (
    await request.get("/v1/public/account", { headers: { authorization: `Bearer ${key}` } })
  ).status();

test("the owner of an address takes over the account, and confirms or revokes existing access", {
  tag: "@full",
}, async ({ page: squatter, browser, request }) => {
  const { email, tenantSlug } = await signUp(squatter);
  const base = `/${tenantSlug}/test`;
  const key = await newTestKey(squatter);
  const url = "https://example.com/orders";
  const webhook = await request.post("/v1/public/webhooks", {
    headers: { authorization: `Bearer ${key}` },
    data: { url, events: ["*"] },
  });
  expect(webhook.status()).toBe(201);
  const guest = `grace-${tenantSlug}@example.com`;
  await squatter.goto(`${base}/settings/members`);
  await squatter.getByRole("button", { name: "Invite member" }).click();
  await squatter.getByRole("dialog").getByLabel("Email").fill(guest);
  await squatter
    .getByRole("dialog")
    .getByRole("button", { name: "Send invitation", exact: true })
    .click();
  const invitation = new URL(await squatter.getByLabel("Link", { exact: true }).inputValue())
    .pathname;

  const page = await takeOver(browser, email);
  const findings = watch(page);
  await squatter.goto(base);
  await expect(squatter).toHaveURL(/\/login/);
  expect(await useKey(request, key)).toBe(401);
  await squatter.goto(invitation);
  await expect(squatter.getByRole("button", { name: "Create account and join" })).toHaveCount(0);

  await expect(page.getByText("Access is suspended in 3 places")).toBeVisible();
  await page.getByRole("link", { name: "Review access" }).click();
  await expect(page.getByRole("heading", { name: "Access review", level: 1 })).toBeVisible();
  await expectNoViolations(page, "access review");
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width: 390, height });
  await expectNoOverflow(page, "access review, narrow");
  await page.setViewportSize({ width, height });

  await page.getByRole("button", { name: "Confirm Tests" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Confirm API key" }).click();
  await expect(page.getByText("Tests was confirmed.")).toBeVisible();
  await expect(page.getByRole("table", { name: "Suspended API keys" })).toHaveCount(0);
  expect(await useKey(request, key)).toBe(200);

  await page.getByRole("button", { name: `Revoke ${url}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke webhook" }).click();
  await expect(page.getByRole("table", { name: "Suspended webhooks" })).toHaveCount(0);

  await page.getByRole("button", { name: "Confirm everything…" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Confirm everything" }).click();
  await expect(page.getByText("Nothing is suspended.")).toBeVisible();
  await page.getByRole("link", { name: "General" }).click();
  await expect(page.getByRole("heading", { name: "Settings", level: 1 })).toBeVisible();
  await expect(page.getByText(/Access is suspended in/)).toHaveCount(0);

  await squatter.goto(invitation);
  await squatter.getByLabel("Your name").fill("Grace Hopper");
  await squatter.getByLabel("Password").fill(password);
  await squatter.getByRole("button", { name: "Create account and join" }).click();
  await expect(squatter).toHaveURL(base);
  await squatter.goto(`${base}/settings/access-review`);
  await expect(squatter.getByRole("button", { name: /Confirm|Revoke/ })).toHaveCount(0);
  expect(findings).toEqual([]);
  await page.context().close();
});
