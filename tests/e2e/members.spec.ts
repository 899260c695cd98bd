import type { APIRequestContext, Browser, Page } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, password, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, expectNoViolations, watch } from "./watch";

/**
 * Invites a user on the members page. @returns the link, which is shown because no email is sent
 */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByRole("button", { name: "Invite member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByLabel("Role").selectOption(role);
  await dialog.getByRole("button", { name: "Send invitation", exact: true }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(dialog.getByText("You haven’t copied the link yet")).toBeVisible();
  await page.getByLabel("I have saved the link").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(dialog).toBeHidden();
  return link;
}

/** Opens the link in a separate browser, and creates an account with it. */
async function join(browser: Browser, link: string, name: string): Promise<Page> {
  const context = await newVisitor(browser);
  const page = await context.newPage();
  await page.goto(new URL(link).pathname);
  const field = page.getByLabel("Your name");
  await field.fill("www.example.com");
  await page.getByLabel("Password").fill(password);
  await page.getByLabel("Password").press("Enter");
  await expect(field).toHaveAttribute("aria-invalid", "true");
  await field.fill(name);
  await expect(field).not.toHaveAttribute("aria-invalid");
  await page.getByRole("button", { name: "Create account and join" }).click();
  return page;
}

async function newConversation(request: APIRequestContext, key: string): Promise<string> {
  const response = await request.post("/v1/public/conversations", {
    headers: { authorization: `Bearer ${key}` },
    data: {
      channelId: "web",
      subject: "Where is order 4411?",
      message: "It should have come on Tuesday.",
    },
  });
  expect(response.status()).toBe(201);
  return (await response.json()).id;
}

const ageProofs =
  "UPDATE sessions SET proved_at = now() - interval '11 minutes' WHERE user_id = (SELECT id FROM users WHERE email = $1)";

test("an invited user can read, can do more immediately after a role change, and loses access when removed", async ({
  page,
  browser,
  request,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const conversation = await newConversation(request, await newTestKey(page));
  const base = `/${tenantSlug}/test`;
  const findings = watch(page);

  await page.goto(`${base}/settings/members`);
  const guestEmail = `grace-${tenantSlug}@example.com`;
  const link = await invite(page, guestEmail, "VIEWER");
  await expect(page.getByRole("row").filter({ hasText: guestEmail })).toContainText("Viewer");
  await expectNoViolations(page, "members");

  const guest = await join(browser, link, "Grace Hopper");
  await expect(guest).toHaveURL(base);

  await guest.goto(`${base}/conversations/${conversation}`);
  await expect(guest.getByText("It should have come on Tuesday.").first()).toBeVisible();
  await expect(
    guest.getByText("Only owners, admins and members may write in conversations."),
  ).toBeVisible();
  await expect(guest.getByRole("textbox", { name: "Write a message" })).toHaveCount(0);
  await expect(guest.getByRole("form", { name: "Write a message" })).toHaveCount(0);
  await guest.goto(`${base}/api-keys`);
  await expect(
    guest.getByText("Only owners and admins may create, edit and revoke API keys."),
  ).toBeVisible();
  await expect(guest.getByRole("button", { name: /Create API key|Actions for/ })).toHaveCount(0);
  await guest.goto(`${base}/settings/members`);
  await expect(
    guest.getByText("Only owners and admins may invite and remove members and change roles."),
  ).toBeVisible();
  await expect(guest.getByRole("button", { name: /Invite|role of|Remove/ })).toHaveCount(0);

  await queryDatabase(ageProofs, [email]);
  await page.reload();
  await expect(page.getByText("No open invitations.")).toBeVisible();
  await page.getByRole("button", { name: "Change role of Grace Hopper" }).click();
  const change = page.getByRole("alertdialog", { name: "Change the role of Grace Hopper" });
  await change.getByLabel("Role").selectOption("MEMBER");
  await change.getByRole("button", { name: "Change role" }).click();
  const question = page.getByRole("dialog", { name: "Confirm your identity" });
  await expect(question).toContainText("change a role");
  await question.getByLabel("Password").fill(password);
  await question.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByText("The role of Grace Hopper was changed to Member.")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: guestEmail })).toContainText("Member");

  await guest.getByRole("link", { name: "Conversations", exact: true }).first().click();
  await guest
    .getByRole("link", { name: /Where is order 4411/ })
    .first()
    .click();
  const composer = guest.getByRole("form", { name: "Write a message" });
  await composer.getByRole("textbox").fill("It arrives tomorrow.");
  await composer.getByRole("button", { name: "Send reply" }).click();
  await expect(guest.getByRole("log").getByText("It arrives tomorrow.")).toBeVisible();

  // Unlike the inbox, this page does not refresh itself, so the click below is what finds out.
  await guest.goto(`${base}/settings/members`);
  await page.getByRole("button", { name: "Remove Grace Hopper" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove member" }).click();
  await expect(page.getByText(/Grace Hopper was removed from/)).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: guestEmail })).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Members", level: 2 })).toBeFocused();
  await guest.getByRole("link", { name: "Customers", exact: true }).first().click();
  await expect(guest).toHaveURL(/\/login/);

  await guest.goto(new URL(link).pathname);
  await expect(
    guest.getByRole("heading", { name: "This invitation is no longer valid" }),
  ).toBeVisible();
  expect(findings).toEqual([]);
  await guest.context().close();
});

test("a revoked invitation is not valid, and one for another address asks the user to sign out first @full", async ({
  page,
  browser,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/settings/members`);
  const address = `alan-${tenantSlug}@example.com`;
  const path = new URL(await invite(page, address, "MEMBER")).pathname;

  const context = await newVisitor(browser);
  const stranger = await context.newPage();
  await signUp(stranger);
  await stranger.goto(path);
  await expect(stranger.getByText(/To accept, sign in as/)).toBeVisible();
  await stranger.getByRole("button", { name: "Sign out and continue" }).click();
  await expect(stranger.getByLabel("Your name")).toBeVisible();
  await expect(stranger.getByRole("heading", { name: /^Join / })).toBeFocused();
  await expect(stranger).toHaveURL(path);

  await page.getByRole("button", { name: "Invite member" }).click();
  await page.getByRole("dialog").getByLabel("Email").fill(address);
  await page
    .getByRole("dialog")
    .getByRole("button", { name: "Send invitation", exact: true })
    .click();
  await expect(
    page.getByRole("dialog").getByText(/Must not be the address of an open invitation/),
  ).toBeVisible();
  await expect(page.getByRole("dialog").getByLabel("Email")).toHaveValue(address);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard input" }).click();

  await page.getByRole("button", { name: `Revoke the invitation to ${address}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke invitation" }).click();
  await expect(page.getByText("No open invitations.")).toBeVisible();

  await stranger.getByLabel("Your name").fill("Alan Turing");
  await stranger.getByLabel("Password").fill(password);
  await stranger.getByRole("button", { name: "Create account and join" }).click();
  await expect(stranger.getByText(/This invitation was already used/)).toBeVisible();
  await expect(
    stranger.getByRole("heading", { name: "This invitation is no longer valid" }),
  ).toBeFocused();
  await context.close();
});

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { name: "narrow", colorScheme: "dark", viewport: { width: 390, height: 844 } },
] as const;

test("the pages before the dashboard: axe reports no violations, nothing overflows", {
  tag: "@full",
}, async ({ page, browser }) => {
  const { email, tenantSlug } = await signUp(page, { organization: "W".repeat(100) });
  await page.goto(`/${tenantSlug}/test/settings/members`);
  const invitation = new URL(await invite(page, `edsger-${tenantSlug}@example.com`, "ADMIN"))
    .pathname;
  const invited = await (await newVisitor(browser)).newPage();
  const accepted = new URL(await invite(page, (await signUp(invited)).email, "ADMIN")).pathname;

  async function inspect(where: Page, path: string): Promise<void> {
    for (const { name, colorScheme, viewport } of looks) {
      await where.emulateMedia({ colorScheme });
      await where.setViewportSize(viewport);
      await where.goto(path);
      await expect(where, path).toHaveURL(path);
      await expect(where.getByRole("heading", { level: 1 })).toHaveCount(1);
      await expectNoOverflow(where, `${path}, ${name}`);
      await expectNoViolations(where, `${path}, ${name}`);
    }
  }

  const visitor = await (await newVisitor(browser)).newPage();
  const mailPage = (process.env.PRODUCT_MAIL_PAGE ?? "").slice(process.env.PRODUCT_URL?.length);
  for (const path of ["/password", "/password/unknown", "/invite/unknown", invitation, mailPage])
    await inspect(visitor, path);
  await inspect(page, invitation);
  await inspect(invited, accepted);
  await queryDatabase(
    "DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [email],
  );
  await inspect(page, "/welcome");
  await visitor.context().close();
  await invited.context().close();
});
