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
  "/docs/events/message.received",
  "/docs/changelog",
  "/docs/configuration",
  "/docs/reference",
  "/docs/reference/conversations",
  "/docs/reference/knowledge-bases",
  "/docs/reference/conversations/create-conversation",
  "/docs/reference/knowledge-bases/replace-document",
];

test("every kind of page fits 390 px and 1440 px, requests no other host and logs no errors @full", async ({
  page,
}) => {
  const findings = watch(page);
  for (const path of pagesToOpen) {
    const response = await page.goto(path, { waitUntil: "networkidle" });
    expect([path, response?.status()]).toEqual([path, 200]);
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoOverflow(page, `${path} at ${width} px`);
    }
  }
  expect(findings).toEqual([]);
});

// The longest guides consist of the same parts as these, and axe needs very long for them.
for (const path of [
  "/docs",
  "/docs/quickstart",
  "/docs/verify-signatures",
  "/docs/errors",
  "/docs/events",
  "/docs/events/conversation.updated",
  "/docs/reference",
  "/docs/reference/customers",
  "/docs/reference/conversations/create-conversation",
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

test("the type of a problem is a page, and the documentation has no broken links @full", async ({
  page,
  request,
}) => {
  const { type } = await (await request.get("/v1/public/account")).json();
  await page.goto(type);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("API key missing or invalid");

  const seen = new Map<string, Set<string | undefined>>();
  // Checked at once: there are tens of thousands of links, and Playwright records each assertion.
  const broken: string[] = [];
  const waiting = ["/docs"];
  for (let path = waiting.pop(); path; path = waiting.pop()) {
    if (seen.has(path)) continue;
    const response = await request.get(path);
    expect([path, response.status()]).toEqual([path, 200]);
    const text = await response.text();
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    seen.set(path, ids);
    for (const [, href = ""] of text.matchAll(/ href="([^"]+)"/g)) {
      const isBroken = href.startsWith("#")
        ? !ids.has(href.slice(1))
        : // A file is only in the repository.
          href.startsWith(".");
      if (isBroken) broken.push(`${path}: ${href}`);
      else if (/^\/(docs|llms)/.test(href)) waiting.push(href.split("#")[0] ?? "");
    }
  }
  expect(broken).toEqual([]);
  expect(seen.size).toBeGreaterThan(45);
  expect((await request.get("/docs/nothing")).status()).toBe(404);

  // What the search finds is there.
  const { documentIds }: { documentIds: Record<string, string> } = await (
    await request.get("/docs/search.json")
  ).json();
  const found = Object.values(documentIds);
  expect(found.length).toBeGreaterThan(300);
  const missing = found.filter((href) => {
    const [path = "", anchor] = href.split("#");
    return !(anchor ? seen.get(path)?.has(anchor) : seen.has(path));
  });
  expect(missing).toEqual([]);
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

  await page.goto("/docs/reference/customers/create-customer");
  const create = page.locator("#createCustomer");
  await create.getByText("Try it", { exact: true }).click();
  await create.getByLabel("API key").fill(key);
  await create.getByRole("button", { name: "Send" }).click();
  await expect(create.getByRole("form")).toContainText('"externalId": "user_8412"');
  await expect(create.getByRole("form")).toContainText("201");

  await page.goto("/docs/reference/customers/list-customers");
  const list = page.locator("#listCustomers");
  await list.getByText("Try it", { exact: true }).click();
  await expect(list.getByLabel("API key")).toHaveValue(key);
  await list.getByLabel("limit").fill("0");
  await list.getByRole("button", { name: "Send" }).click();
  await expect(list.getByRole("form")).toContainText("422");

  // A test key stays in the tab, and the command that sets it is next to the samples.
  await page.goto("/docs/reference/agents/create-agent");
  const other = page.locator("#createAgent");
  const command = await copy(page, "Copy the command that sets your key");
  expect(command).toBe(`export PARLANCE_API_KEY=${key}`);
  await other.getByText("Try it", { exact: true }).click();
  await expect(other.getByLabel("API key")).toHaveValue(key);
  // Anything else is forgotten.
  await other.getByLabel("API key").fill(key.replace("_test_", "_live_"));
  await page.reload();
  await other.getByText("Try it", { exact: true }).click();
  await expect(other.getByLabel("API key")).toHaveValue("");
});

test("a new test key can be used in the reference without copying it", async ({ page }) => {
  await signUp(page);
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByLabel("Name").fill("Reference");
  await page.getByRole("button", { name: "Create test key" }).click();
  const key = await page.getByLabel("API key", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Use this key in the reference" }).click();
  await expect(page.getByRole("button", { name: "The reference uses this key" })).toBeDisabled();
  await page.getByLabel("I have saved the API key").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.goto("/docs/reference/account/get-account");
  const account = page.locator("#getAccount");
  await account.getByText("Try it", { exact: true }).click();
  await expect(account.getByLabel("API key")).toHaveValue(key);
  await account.getByRole("button", { name: "Send" }).click();
  await expect(account.getByRole("form")).toContainText('"environment": "test"');
});

test("a link to an operation on the page of its tag opens the page of the operation", async ({
  page,
}) => {
  await page.goto("/docs/reference/customers#createCustomer");
  await expect(page).toHaveURL("/docs/reference/customers/create-customer");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Create a customer");
  await page.goto("/docs/reference/customers");
  await page.getByRole("link", { name: /Change a customer/ }).click();
  await expect(page).toHaveURL("/docs/reference/customers/update-customer");
  await page.getByRole("article").getByRole("link", { name: "Customers" }).click();
  await expect(page).toHaveURL("/docs/reference/customers");
  await page.getByRole("link", { name: "Objects" }).click();
  await expect(page.getByRole("heading", { name: "Objects" })).toBeInViewport();
});

test("the samples of every operation have the language that was chosen last", async ({ page }) => {
  const findings = watch(page);
  await page.goto("/docs/reference/customers/create-customer");
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByRole("tabpanel")).toContainText("parlance.customers.create(");
  await page.goto("/docs/reference/agents/create-agent");
  await expect(page.getByRole("tab", { name: "Python" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("tabpanel")).toContainText("parlance.agents.create(");
  expect(findings).toEqual([]);
});

test("every page of the reference has a sample without JavaScript, and at most 350 KB", async ({
  request,
}) => {
  const { documentIds }: { documentIds: Record<string, string> } = await (
    await request.get("/docs/search.json")
  ).json();
  const paths = Object.values(documentIds).filter((path) => /^\/docs\/reference[^#]*$/.test(path));
  expect(paths.length).toBeGreaterThan(70);
  for (const path of paths) {
    const text = await (await request.get(path)).text();
    expect([path, text.length < 350_000]).toEqual([path, true]);
    const withoutScripts = text.replaceAll(/<script[\s\S]*?<\/script>/g, "");
    const isOperation = path.split("/").length === 5;
    expect([path, withoutScripts.includes("Authorization: Bearer ")]).toEqual([path, isOperation]);
  }
});

test("a page can be read as Markdown: by its name, by the Accept header, and with a button", async ({
  page,
  request,
  context,
}) => {
  const byName = await request.get("/docs/webhooks.md");
  expect(byName.headers()["content-type"]).toBe("text/markdown; charset=utf-8");
  const markdown = await byName.text();
  expect(markdown).toMatch(/^# Receiving webhooks\n/);
  const byHeader = await request.get("/docs/webhooks", {
    headers: { accept: "text/markdown, text/html;q=0.9" },
  });
  expect(await byHeader.text()).toBe(markdown);
  const asHtml = await request.get("/docs/webhooks", {
    headers: { accept: "text/html, text/markdown;q=0.5" },
  });
  expect(asHtml.headers()["content-type"]).toContain("text/html");
  expect(byHeader.headers().vary).toContain("Accept");
  expect((await request.get("/docs/events/message.received.md")).status()).toBe(200);
  expect((await request.get("/docs.md")).status()).toBe(200);
  expect((await request.get("/docs/nothing.md")).status()).toBe(404);
  const html = await request.get("/docs/webhooks");
  expect(html.headers()["content-type"]).toContain("text/html");
  expect(html.headers().vary).toContain("Accept");

  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/docs/webhooks");
  expect(await copy(page, "Copy as Markdown")).toBe(markdown);

  await page
    .getByRole("navigation", { name: "On this page" })
    .locator("visible=true")
    .getByRole("link", { name: "Retries" })
    .click();
  await expect(page).toHaveURL("/docs/webhooks#retries");
  await page.getByRole("link", { name: /^Next/ }).click();
  await expect(page).toHaveURL("/docs/verify-signatures");
});

test("the search finds words in the text of every kind of page, with the keyboard only", async ({
  page,
}) => {
  const findings = watch(page);
  await page.goto("/docs");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "Search the documentation" })).toBeFocused();
  await page.keyboard.type("rotate a key");
  await expect(page.getByRole("option", { name: /^Rotate a key/ })).toBeVisible();
  await expectNoViolations(page, "the search");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs/api-keys#rotate-a-key");
  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "Search the documentation" })).toBeFocused();
  await page.keyboard.type("Retry-After");
  await expect(page.getByRole("option").first()).toContainText("Rate limits");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("combobox", { name: "Search the documentation" })).toBeFocused();
  await page.keyboard.type("insufficient-scope");
  await expect(page.getByRole("option").first()).toContainText("lacks the scope");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs/errors/insufficient-scope");
  expect(findings).toEqual([]);
});
