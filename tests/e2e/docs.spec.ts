import { signUp } from "./sign-up";
import { copy, expect, test } from "./test";
import { expectNoOverflow, expectNoViolations, watch } from "./watch";

const pagesToOpen = [
  "/docs",
  "/docs/quickstart",
  "/docs/verify-signatures",
  "/docs/members-and-roles",
  "/docs/requests",
  "/docs/errors",
  "/docs/errors/validation",
  "/docs/events",
  "/docs/reference",
  "/docs/reference/conversations",
  "/docs/reference/knowledge-bases",
];

for (const width of [390, 1440]) {
  test(`every kind of page fits ${width} px, requests no other host and logs no errors`, async ({
    page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const findings = watch(page);
    for (const path of pagesToOpen) {
      const response = await page.goto(path, { waitUntil: "networkidle" });
      expect([path, response?.status()]).toEqual([path, 200]);
      await expectNoOverflow(page, path);
    }
    expect(findings).toEqual([]);
  });
}

// The longest pages consist of the same parts as these, and axe needs very long for them.
for (const path of [
  "/docs",
  "/docs/quickstart",
  "/docs/verify-signatures",
  "/docs/errors",
  "/docs/reference",
  "/docs/reference/account",
]) {
  test(`axe reports no violations at ${path}, in light and dark`, { tag: "@full" }, async ({
    page,
  }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(path, { waitUntil: "networkidle" });
      await expectNoViolations(page, colorScheme);
    }
  });
}

test("the type of a problem is a page, and the documentation has no broken links", async ({
  page,
  request,
}) => {
  const { type } = await (await request.get("/v1/public/account")).json();
  await page.goto(type);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API key missing or invalid");

  const seen = new Map<string, Set<string | undefined>>();
  const waiting = ["/docs"];
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (seen.has(path)) continue;
    const response = await request.get(path);
    expect([path, response.status()]).toEqual([path, 200]);
    const text = await response.text();
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    seen.set(path, ids);
    for (const [, href = ""] of text.matchAll(/ href="([^"]+)"/g)) {
      if (href.startsWith("#"))
        expect([path, href, ids.has(href.slice(1))]).toEqual([path, href, true]);
      else if (/^\/(docs|llms)/.test(href)) waiting.push(href.split("#")[0] ?? "");
    }
  }
  expect(seen.size).toBeGreaterThan(45);
  expect((await request.get("/docs/nothing")).status()).toBe(404);

  const entries: { href: string }[] = await (await request.get("/docs/search.json")).json();
  expect(entries.length).toBeGreaterThan(100);
  for (const { href } of entries) {
    const [path = "", anchor] = href.split("#");
    expect([href, anchor ? seen.get(path)?.has(anchor) : seen.has(path)]).toEqual([href, true]);
  }
});

test("an operation can be tried with your own key, which stays for the next one", async ({
  page,
}) => {
  await signUp(page);
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("Reference");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await copy(page, "Copy the API key");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.goto("/docs/reference/customers#createCustomer");
  const create = page.locator("#createCustomer");
  await create.getByText("Try it", { exact: true }).click();
  await create.getByLabel("API key").fill(key);
  await create.getByRole("button", { name: "Send" }).click();
  await expect(create.getByRole("form")).toContainText('"externalId": "user_8412"');
  await expect(create.getByRole("form")).toContainText("201");

  const list = page.locator("#listCustomers");
  await list.getByText("Try it", { exact: true }).click();
  await expect(list.getByLabel("API key")).toHaveValue(key);
  await list.getByLabel("limit").fill("0");
  await list.getByRole("button", { name: "Send" }).click();
  await expect(list.getByRole("form")).toContainText("422");
});

test("the search finds headings, operations and errors by a word, with the keyboard only", async ({
  page,
}) => {
  const findings = watch(page);
  await page.goto("/docs");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search the documentation" })).toBeFocused();
  await page.keyboard.type("roll a key");
  await expect(page.getByRole("option", { name: /^Roll a key/ })).toBeVisible();
  await expectNoViolations(page, "the search");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs/api-keys#roll-a-key");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("combobox", { name: "Search the documentation" })).toBeFocused();
  await page.keyboard.type("insufficient-scope");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs/errors/insufficient-scope");
  expect(findings).toEqual([]);
});
