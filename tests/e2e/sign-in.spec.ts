import { password, signOut, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";

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

  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(/\/test$/);
});

test("a refused sign-up puts the focus into the field to correct", async ({ page }) => {
  await page.goto("/signup");
  await page.getByLabel("Organization").fill("Northlane");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByLabel("Password").fill("password1234");
  await page.getByRole("button", { name: "Create account" }).click();
  await expect(page.getByText("Must be less common")).toBeVisible();
  await expect(page.getByLabel("Password")).toBeFocused();
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
