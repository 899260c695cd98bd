import { signUp } from "./sign-up";
import { expect, test } from "./test";
import { watch } from "./watch";

test("the palette opens with the keyboard, and finds pages by name and objects by id", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const findings = watch(page);
  await page.keyboard.press("Control+k");
  const input = page.getByPlaceholder("Page name or ID, such as cnv_…");
  await expect(input).toBeFocused();
  await input.fill("api ke");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/${tenantSlug}/test/api-keys`);

  // An id that does not exist shows the same page as another tenant's id.
  const unknownId = "cnv_00000000000000000000000000";
  await page.keyboard.press("Control+k");
  await input.fill(unknownId);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/${tenantSlug}/test/(conversations|go)/${unknownId}$`));
  await expect(page.getByText("Page not found")).toBeVisible();
  // Only the 404 of this page itself is logged.
  expect(findings.filter((finding) => !finding.includes("404"))).toEqual([]);

  const anonymous = await request.get(`/${tenantSlug}/test/go/${unknownId}`, { maxRedirects: 0 });
  expect(anonymous.status()).toBe(307);
  expect(anonymous.headers().location).toBe(
    `/login?callbackUrl=${encodeURIComponent(`/${tenantSlug}/test/go/${unknownId}`)}`,
  );
});

test("the environment switch stays on the page, and leaves objects that the other environment does not have", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const toLive = page
    .getByRole("navigation", { name: "Environment" })
    .getByRole("link", { name: "Live" });
  await expect(page.getByText("Data is isolated from live and never billed.")).toBeVisible();
  await toLive.click();
  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
  await expect(page.getByText("Data is isolated from live and never billed.")).toBeHidden();

  await page.goto(`/${tenantSlug}/test/webhooks/whk_00000000000000000000000000`);
  await expect(toLive).toHaveAttribute("href", `/${tenantSlug}/live/webhooks`);
});

test("on a narrow screen, the menu contains the navigation, and closes when a link is followed", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Menu", exact: true }).click();
  await page
    .getByRole("navigation", { name: "Pages", exact: true })
    .getByRole("link", { name: "Overview" })
    .click();
  await expect(page).toHaveURL(`/${tenantSlug}/test`);
  await expect(page.getByRole("button", { name: "Close menu" })).toBeHidden();
});

test("a page runs its own scripts and no others", async ({ page, request }) => {
  const [first, second] = [await request.get("/login"), await request.get("/login")];
  const nonceOf = (policy = "") =>
    /script-src 'self' 'nonce-([^']+)' 'strict-dynamic';/.exec(policy)?.[1];
  const nonces = [first, second].map((response) =>
    nonceOf(response.headers()["content-security-policy"]),
  );
  expect(nonces[0]).toBeTruthy();
  expect(nonces[0]).not.toBe(nonces[1]);
  const html = await first.text();
  expect([...html.matchAll(/<script(?![^>]*nonce=)[^>]*>/g)].map(([tag]) => tag)).toEqual([]);

  await page.goto("/login");
  const violated = await page.evaluate(async () => {
    const violations: string[] = [];
    const allAreRefused = new Promise<void>((resolve) => {
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => {
        if (violations.push(effectiveDirective) === 2) resolve();
      });
    });
    document.body.insertAdjacentHTML(
      "beforeend",
      '<img src="x" onerror="window.wasInjected = true">',
    );
    document.body.setAttribute("onclick", "window.wasInjected = true");
    document.body.click();
    await allAreRefused;
    return violations;
  });
  expect(violated).toEqual(["script-src-attr", "script-src-attr"]);
  expect(await page.evaluate(() => "wasInjected" in window)).toBe(false);
});
