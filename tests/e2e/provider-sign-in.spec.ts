import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { introduce } from "../support/identity-provider";
import { queryDatabase } from "./database";
import { password, signOut, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

const providerUrl = process.env.PROVIDER_URL ?? "";

/** A user of the provider. */
async function newLogin({
  email,
  isVerified = true,
}: {
  email?: string;
  isVerified?: boolean;
} = {}) {
  const mark = randomBytes(4).toString("hex");
  const person = {
    id: Number.parseInt(mark, 16),
    name: "Grace Hopper",
    email: email ?? `grace-${mark}@example.com`,
    isVerified,
  };
  await introduce(providerUrl, mark, person);
  return { login: mark, email: person.email };
}

async function comeFromElsewhere(page: Page): Promise<void> {
  await page.setExtraHTTPHeaders({ "X-Forwarded-For": `10.${randomBytes(3).join(".")}` });
}

async function continueWith(
  page: Page,
  name: "GitHub" | "Google",
  login: string,
  decision = "Authorize",
): Promise<void> {
  await page.getByRole("button", { name: `Continue with ${name}` }).click();
  await page.getByLabel("Account").fill(login);
  await page.getByRole("button", { name: decision }).click();
}

test("a new user signs up with GitHub, names an organization, confirms a live key with GitHub, and sets a password", {
  tag: "@full",
}, async ({ page }) => {
  const { login, email } = await newLogin();
  await comeFromElsewhere(page);
  await page.goto("/signup");
  await expectNoViolations(page, "signing up with providers");
  await expectNoOverflow(page, "signing up with providers");
  await continueWith(page, "GitHub", login);
  await expect(page).toHaveURL("/welcome");
  await page.getByLabel("Name").fill(`Compilers ${login}`);
  await page.getByRole("button", { name: "Create organization" }).click();
  await expect(page).toHaveURL(`/compilers-${login}/test`);

  const age =
    "UPDATE sessions SET proved_at = now() - interval '11 minutes' WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await queryDatabase(age, [email]);
  await page.goto(`/compilers-${login}/test/api-keys`);
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("Billing");
  await page.getByLabel("Live").check();
  await page.getByRole("button", { name: "Create live key" }).click();
  const question = page.getByRole("dialog", { name: "Confirm your identity" });
  await expectNoViolations(page, "the question for a proof");
  const opened = page.waitForEvent("popup");
  await question.getByRole("button", { name: "Continue with GitHub" }).click();
  const popup = await opened;
  await popup.getByLabel("Account").fill(login);
  await popup.getByRole("button", { name: "Authorize" }).click();
  await expect(page.getByLabel("API key", { exact: true })).toHaveValue(/^prl_live_/);
  await expect.poll(() => popup.isClosed()).toBe(true);

  await page.goto(`/compilers-${login}/test/settings/profile`);
  await expect(page.getByText("None. You can set one below.")).toBeVisible();
  await expect(page.getByText(`${email}, linked`)).toBeVisible();
  await expect(page.getByText(/Not linked. To link it, sign in/)).toBeVisible();
  await expectNoViolations(page, "how one signs in");
  await page.getByLabel("New password").fill(password);
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page.getByText("Password set.")).toBeVisible();
  await expect(page.getByRole("cell", { name: "GitHub" })).toBeVisible();

  await page.goto(`/compilers-${login}/test`);
  await signOut(page);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(`/compilers-${login}/test`);
});

test("a user with a verified address is linked by it, and the password still works @full", async ({
  page,
}) => {
  const { email, tenantSlug } = await signUp(page);
  await queryDatabase("UPDATE users SET email_verified_at = now() WHERE email = $1", [email]);
  await signOut(page);
  const { login } = await newLogin({ email });

  await page.goto(`/login?callbackUrl=/${tenantSlug}/test/settings/profile`);
  await continueWith(page, "Google", login);

  await expect(page).toHaveURL(`/${tenantSlug}/test/settings/profile`);
  await expect(page.getByText("Set", { exact: true })).toBeVisible();
  await page.goto(`/${tenantSlug}/test/settings/audit-log`);
  await expect(
    page.getByText("GitHub or Google account linked").filter({ visible: true }),
  ).toBeVisible();
  await signOut(page);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(`/${tenantSlug}/test`);
});

test("a user who signed up with someone else's address loses access when its owner signs in @full", async ({
  page,
  browser,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const context = await newVisitor(browser);
  const owner = await context.newPage();
  await comeFromElsewhere(owner);
  const { login } = await newLogin({ email });

  await owner.goto("/login");
  await continueWith(owner, "GitHub", login);
  await expect(owner).toHaveURL(`/${tenantSlug}/test`);

  await page.goto(`/${tenantSlug}/test`);
  await expect(page).toHaveURL(/\/login\?callbackUrl=/);
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByText("The email address or password is incorrect.")).toBeVisible();
  await context.close();
});

test("an unverified address and a canceled sign-in lead back to the sign-in page with an explanation @full", async ({
  page,
}) => {
  const { login } = await newLogin({ isVerified: false });
  await comeFromElsewhere(page);
  await page.goto("/login");
  await continueWith(page, "GitHub", login);
  await expect(
    page.getByRole("alert").filter({ hasText: "has no verified email address" }),
  ).toBeVisible();
  await continueWith(page, "Google", login, "Cancel");
  await expect(page.getByRole("alert").filter({ hasText: "was canceled or denied" })).toBeVisible();
});

test("an invitation is accepted with the provider account that has the invited address @full", async ({
  page,
  browser,
}) => {
  const { tenantSlug } = await signUp(page);
  const { login, email } = await newLogin();
  await page.goto(`/${tenantSlug}/test/settings/members`);
  await page.getByRole("button", { name: "Invite member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(email);
  await dialog.getByRole("button", { name: "Send invitation", exact: true }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();

  const context = await newVisitor(browser);
  const invited = await context.newPage();
  await comeFromElsewhere(invited);
  await invited.goto(link);
  await expectNoViolations(invited, "an invitation with providers");
  await continueWith(invited, "GitHub", login);
  await expect(invited).toHaveURL(link);
  await invited.getByRole("button", { name: /^Join / }).click();
  await expect(invited).toHaveURL(`/${tenantSlug}/test`);
  await context.close();
});
