import { randomBytes } from "node:crypto";
import type { Page } from "@playwright/test";
import { password, signOut, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow } from "./watch";

test("signing out ends the session on every device, and its cookie is no longer valid", async ({
  page,
  browser,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const phone = await newVisitor(browser);
  const phonePage = await phone.newPage();

  await phonePage.goto(`/${tenantSlug}/live/api-keys`);
  await phonePage.getByLabel("Email").fill(email);
  await phonePage.getByLabel("Password").fill(password);
  await phonePage.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(phonePage).toHaveURL(`/${tenantSlug}/live/api-keys`);
  const [cookie] = (await phone.cookies()).filter(({ name }) => name === "next-auth.session-token");
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax" });

  await signOut(page);
  await expect(page).toHaveURL("/login");
  await phonePage.goto(`/${tenantSlug}/live/api-keys`);
  await expect(phonePage).toHaveURL(/\/login\?callbackUrl=/);
  await expect(phonePage.getByText("Your session has ended. Sign in again.")).toBeVisible();
  await expect(page.getByText("Your session has ended.")).toBeHidden();
  await phone.close();
});

test("the profile signs out one device, and its next page says so", async ({ page, browser }) => {
  const { email, tenantSlug } = await signUp(page);
  const phone = await newVisitor(browser);
  const phonePage = await phone.newPage();
  await phonePage.goto("/login");
  await phonePage.getByLabel("Email").fill(email);
  await phonePage.getByLabel("Password").fill(password);
  await phonePage.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(phonePage).toHaveURL(new RegExp(`/${tenantSlug}/`));

  await page.goto(`/${tenantSlug}/test/settings/profile`);
  const other = page.getByRole("button", { name: /^Sign out .+ on / });
  await other.click();
  await expect(page.getByText("was signed out.")).toBeVisible();
  await expect(other).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Sessions", exact: true })).toBeFocused();
  await phonePage.goto(`/${tenantSlug}/test/customers`);
  await expect(phonePage.getByText("Your session has ended. Sign in again.")).toBeVisible();
  await phone.close();
});

test("a wrong password and an unknown address get the same response, and no URL redirects to another site", async ({
  page,
}) => {
  const { email } = await signUp(page);
  await signOut(page);
  await expect(page).toHaveURL("/login");

  for (const address of [email, "nobody@example.com"]) {
    await page.goto("/login?callbackUrl=https://elsewhere.example/");
    await page.getByLabel("Email").fill(address);
    await page.getByLabel("Password").fill("wrong password");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await expect(page.getByText("The email address or password is incorrect.")).toBeVisible();
    await expect(page.getByLabel("Email")).toHaveValue(address);
    await expect(page.getByLabel("Password")).toBeFocused();
  }
  // What is typed replaces the wrong password.
  await page.keyboard.type("x");
  await expect(page.getByLabel("Password")).toHaveValue("x");

  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/test$/);
});

test("a refused sign-up focuses the first field to correct, keeps all input, and drops the error of a field that is edited", async ({
  page,
}) => {
  await page.goto("/signup");
  const organization = page.getByLabel("Organization");
  const name = page.getByLabel("Your name");
  const secret = page.getByLabel("Password");
  const button = page.getByRole("button", { name: "Create account" });
  await organization.fill("www.example.com");
  await name.fill("www.example.com");
  await page.getByLabel("Email").fill(`ada-${randomBytes(4).toString("hex")}@example.com`);
  await secret.fill(password);
  await button.click();
  await expect(organization).toBeFocused();
  await expect(organization).toHaveAccessibleDescription(
    "Must not look like a web or email address",
  );
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await expect(secret).toHaveValue(password);

  await organization.fill("Northlane");
  await expect(organization).not.toHaveAttribute("aria-invalid");
  await expect(organization).toHaveAccessibleDescription("");
  await expect(name).toHaveAttribute("aria-invalid", "true");
  await name.fill("Ada Lovelace");
  await secret.fill("password1234");
  await button.click();
  await expect(secret).toBeFocused();
  await expect(secret).toHaveAccessibleDescription(/Must be less common/);
  await secret.fill(password);
  await expect(secret).toHaveAccessibleDescription(/At least 12 characters/);
  await button.click();
  await expect(page).toHaveURL(/\/test$/);
});

test("a sign-up keeps its input when no response comes, and needs no JavaScript", async ({
  page,
  browser,
}) => {
  // Unlike actions of locators, these do not wait for React.
  const submit = async (target: Page, organization: string, email: string) => {
    await target.fill("[name=organization]", organization);
    await target.fill("[name=name]", "Ada Lovelace");
    await target.fill("[name=email]", email);
    await target.fill("[name=password]", password);
    await target.click('text="Create account"');
  };
  const newEmail = () => `ada-${randomBytes(4).toString("hex")}@example.com`;
  await page.goto("/signup");
  await page.route("**/signup", (route) =>
    route.request().method() === "POST" ? route.abort("connectionreset") : route.continue(),
  );
  await submit(page, "Northlane", newEmail());
  await expect(page.getByText("No response came.")).toBeVisible();
  await expect(page.getByLabel("Organization")).toHaveValue("Northlane");
  await expect(page.getByLabel("Password")).toHaveValue(password);
  await page.unroute("**/signup");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page).toHaveURL(/\/test$/);

  const visitor = await browser.newContext({
    baseURL: process.env.PRODUCT_URL,
    javaScriptEnabled: false,
  });
  const plain = await visitor.newPage();
  await plain.goto("/signup");
  await submit(plain, "www.example.com", newEmail());
  await expect(plain.getByLabel("Organization")).toHaveAttribute("aria-invalid", "true");
  await expect(plain.getByLabel("Your name")).toHaveValue("Ada Lovelace");
  await submit(plain, "Northlane", newEmail());
  await expect(plain).toHaveURL(/\/test$/);
  await visitor.close();
});

test("a link for a new password that was used in another tab says so, and every form of the way there drops corrected errors @full", async ({
  page,
  context,
}) => {
  const { email } = await signUp(page, { organization: "W".repeat(100) });
  const organization = page.getByLabel("Name", { exact: true });
  await page.goto("/welcome");
  await expectNoOverflow(page, "welcome");
  await organization.fill("www.example.com");
  await organization.press("Enter");
  await expect(organization).toHaveAttribute("aria-invalid", "true");
  await organization.fill("Northlane");
  await expect(organization).not.toHaveAttribute("aria-invalid");
  await context.clearCookies();

  await page.goto("/password");
  const address = page.getByLabel("Email");
  await address.fill("ada@localhost");
  await address.press("Enter");
  await expect(address).toHaveAttribute("aria-invalid", "true");
  await address.fill(email);
  await expect(address).not.toHaveAttribute("aria-invalid");
  await address.press("Enter");
  await expect(page.getByRole("heading", { name: "Check your email" })).toBeFocused();

  const other = await context.newPage();
  const mail = other.getByRole("listitem").filter({ hasText: email });
  await expect(async () => {
    await other.goto(process.env.PRODUCT_MAIL_PAGE ?? "");
    expect(await mail.count()).toBe(1);
  }).toPass();
  const link = (await mail.getByRole("link").first().getAttribute("href")) ?? "";
  await page.goto(link);
  await other.goto(link);
  const secret = page.getByLabel("New password");
  await secret.fill("aaaaaaaaaaaaaaa");
  await secret.press("Enter");
  await expect(secret).toHaveAttribute("aria-invalid", "true");
  await expect(secret).toHaveValue("aaaaaaaaaaaaaaa");
  await secret.fill("another horse battery");
  await expect(secret).not.toHaveAttribute("aria-invalid");
  await secret.press("Enter");
  await expect(page).toHaveURL(/\/test$/);

  await other.getByLabel("New password").fill("a third horse battery");
  await other.getByLabel("New password").press("Enter");
  await expect(other.getByRole("heading", { name: "This link is no longer valid" })).toBeFocused();
  await other.getByRole("link", { name: "Request a new link" }).click();
  await expect(other).toHaveURL("/password");
});

test("another user's organization and one that does not exist get the same 404", async ({
  page,
  browser,
}) => {
  const { tenantSlug } = await signUp(page);
  const stranger = await newVisitor(browser);
  const strangerPage = await stranger.newPage();
  await signUp(strangerPage);

  for (const slug of [tenantSlug, "no-such-organization"]) {
    for (const path of [`/${slug}`, `/${slug}/test/api-keys`, `/${slug}/live`]) {
      const response = await strangerPage.goto(path);
      expect(response?.status(), path).toBe(404);
      await expect(strangerPage.getByRole("heading", { name: "Page not found" })).toBeVisible();
    }
  }
  await stranger.close();
});

test("the sign-in page says that sign-in failed, whatever error code is in its URL", async ({
  request,
}) => {
  for (const code of ["unknown", "constructor", "__proto__"]) {
    const page = await request.get(`/login?error=${code}`);
    expect(page.status(), code).toBe(200);
    expect(await page.text(), code).toContain("Sign-in failed. Try again.");
  }
});

test("pages have their security headers, and API keys cannot open pages", async ({ request }) => {
  const login = await request.get("/login");
  expect(login.headers()).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  });
  expect(login.headers()["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(login.headers()).not.toHaveProperty("x-powered-by");
  expect(login.headers()).not.toHaveProperty("strict-transport-security");
  const secure = await request.get("/login", { headers: { "x-forwarded-proto": "https" } });
  expect(secure.headers()["strict-transport-security"]).toMatch(/^max-age=\d{8}/);

  const withKey = await request.get("/demo/test/api-keys", {
    headers: { authorization: "Bearer prl_test_x" },
    maxRedirects: 0,
  });
  expect(withKey.status()).toBe(307);
  expect(withKey.headers().location).toContain("/login");
});
