import { expect, type Page, test } from "@playwright/test";
import { queryDatabase } from "./database";
import { password, signUp } from "./sign-up";
import { expectNoOverflow, expectNoViolations } from "./watch";

/** Invites somebody from the page of members. @returns the link that is shown where no mail is sent */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole("button", { name: "Invite somebody" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Role").selectOption(role);
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  const link = (await dialog.getByText(/\/invite\//).textContent()) ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  return link;
}

test("an invitation that was revoked opens nothing, and one for another address asks to sign out first", async ({ page, browser }) => {
  test.setTimeout(180_000);
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/settings/members`);
  const address = `alan-${tenantSlug}@example.com`;
  const path = new URL(await invite(page, address, "MEMBER")).pathname;

  const context = await browser.newContext({ baseURL: process.env.PRODUCT_URL });
  const stranger = await context.newPage();
  await signUp(stranger);
  await stranger.goto(path);
  await expect(stranger.getByText(/so this invitation is not for you/)).toBeVisible();
  await stranger.getByRole("button", { name: "Sign out and go on" }).click();
  await expect(stranger.getByLabel("Your name")).toBeVisible();
  await expect(stranger).toHaveURL(path);

  await page.getByRole("button", { name: "Invite somebody" }).click();
  await page.getByRole("dialog").getByLabel("Email").fill(address);
  await page.getByRole("dialog").getByRole("button", { name: "Send invitation" }).click();
  await expect(page.getByRole("dialog").getByText(/was invited already/)).toBeVisible();
  await expect(page.getByRole("dialog").getByLabel("Email")).toHaveValue(address);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: `Revoke the invitation to ${address}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke invitation" }).click();
  await expect(page.getByText("Nobody is invited at the moment.")).toBeVisible();

  await stranger.getByLabel("Your name").fill("Alan Turing");
  await stranger.getByLabel("Password").fill(password);
  await stranger.getByRole("button", { name: "Create account and join" }).click();
  await expect(stranger.getByText(/This invitation was used or revoked/)).toBeVisible();
  await context.close();
});

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { name: "narrow", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

test("the pages before the dashboard: axe finds nothing, nothing overflows", async ({ page, browser }) => {
  test.setTimeout(300_000);
  const { email, tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/settings/members`);
  const invitation = new URL(await invite(page, `edsger-${tenantSlug}@example.com`, "ADMIN")).pathname;
  await queryDatabase("DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)", [email]);

  const visitor = await (await browser.newContext({ baseURL: process.env.PRODUCT_URL })).newPage();
  const places = [
    ...["/password", "/password/unknown", "/invite/unknown", invitation, "/dev/mail"].map((path) => [visitor, path] as const),
    ...["/welcome", invitation].map((path) => [page, path] as const),
  ];
  for (const { name, colorScheme, viewport } of looks) {
    for (const [where, path] of places) {
      await where.emulateMedia({ colorScheme });
      await where.setViewportSize(viewport);
      await where.goto(path);
      await expect(where, path).toHaveURL(path);
      await expect(where.getByRole("heading", { level: 1 })).toHaveCount(1);
      await expectNoOverflow(where, `${path}, ${name}`);
      await expectNoViolations(where, `${path}, ${name}`);
    }
  }
  await visitor.context().close();
});
