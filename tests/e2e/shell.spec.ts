import { newTestKey, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, watch } from "./watch";

test("the palette opens with the keyboard, and finds pages by name and objects by id", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const findings = watch(page);
  await page.keyboard.press("Control+k");
  const input = page.getByPlaceholder("Page, action, name, URL or ID");
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
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
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

test("the palette finds customers, conversations, webhooks, agents and keys by name and URL, settings, and runs actions @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const base = `/${tenantSlug}/test`;
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const create = async (path: string, data: object) => {
    const response = await request.post(`/v1/public${path}`, { headers, data });
    expect(response.ok(), await response.text()).toBe(true);
    return ((await response.json()) as { id: string }).id;
  };
  const customer = await create("/customers", { name: "Grace Hopper", email: "grace@navy.mil" });
  const conversation = await create("/conversations", { channelId: "web", subject: "Compilers" });
  const webhook = await create("/webhooks", { url: "http://127.0.0.1:9/naval", events: ["*"] });
  const agent = await create("/agents", { name: "Debugger" });

  const input = page.getByPlaceholder("Page, action, name, URL or ID");
  const choose = async (text: string, option: RegExp) => {
    await page.keyboard.press("Control+k");
    await input.fill(text);
    await page.getByRole("option", { name: option }).click();
  };
  await choose("grace hop", /^Grace Hopper Customer/);
  await expect(page).toHaveURL(`${base}/customers/${customer}`);
  await choose("compilers", /^Compilers Conversation/);
  await expect(page).toHaveURL(`${base}/conversations/${conversation}?status=all`);
  await choose("/naval", /Webhook$/);
  await expect(page).toHaveURL(`${base}/webhooks/${webhook}`);
  await choose("debug", /^Debugger Agent/);
  await expect(page).toHaveURL(`${base}/agents/${agent}`);
  await choose("tests", /^Tests API key/);
  await expect(page).toHaveURL(new RegExp(`${base}/api-keys/key_`));
  await choose("audit", /^Audit log/);
  await expect(page).toHaveURL(`${base}/settings/audit-log`);

  const isDark = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).colorScheme === "dark");
  await choose("toggle", /^Toggle theme/);
  await expect.poll(isDark).toBe(true);
  await page.reload();
  expect(await isDark()).toBe(true);
  await page.goto(`${base}/settings/profile`);
  await expect(page.getByLabel("Colors")).toHaveValue("dark");
  await choose("toggle", /^Toggle theme/);
  await expect(page.getByLabel("Colors")).toHaveValue("light");
  await choose("create api", /^Create API key/);
  await expect(page.getByRole("dialog", { name: /key/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${base}/api-keys`);
  await choose("switch", /^Switch to live/);
  await expect(page).toHaveURL(`/${tenantSlug}/live/api-keys`);
});

test("404 in the shell for unknown pages and objects, and titles name the object, the section and the environment @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const base = `/${tenantSlug}/test`;
  const missing = "00000000000000000000000000";
  const sections = ["agents", "api-keys", "customers", "events", "knowledge", "logs", "webhooks"];
  const withNul = sections.map((section) => `${section}/%00`);
  const objects = [`webhooks/whk_${missing}`, `conversations/cnv_${missing}`];
  for (const path of ["nothing", ...objects, ...withNul]) {
    expect((await page.goto(`${base}/${path}`))?.status(), path).toBe(404);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Pages", exact: true })).toBeVisible();
  }
  expect((await page.request.get(`${base}/webhooks/%00/csv`)).status()).toBe(404);
  expect((await request.get("/favicon.ico")).status()).toBe(200);

  await page.goto(`${base}/webhooks`);
  await expect(page).toHaveTitle("Webhooks · Test · Parlance");
  await page.goto(`${base}/api-keys`);
  await newTestKey(page);
  await page.getByRole("link", { name: "Tests" }).click();
  await expect(page).toHaveTitle("Tests · API keys · Test · Parlance");
});

test("a menu opens with the arrow keys, and moves the focus to its first or last entry", async ({
  page,
}) => {
  await signUp(page);
  const trigger = page.getByRole("button", { name: /account and organizations/ });
  await trigger.focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("link", { name: "Profile and sessions" })).toBeFocused();
  await page.keyboard.press("Escape");
  await trigger.focus();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("button", { name: "Sign out" })).toBeFocused();
});

test("times are in the browser's zone, which charts name, and the account menu switches to UTC and to exact times @full", async ({
  browser,
}) => {
  const visitor = await newVisitor(browser, { timezoneId: "Asia/Tokyo" });
  const page = await visitor.newPage();
  const { tenantSlug } = await signUp(page);
  await newTestKey(page);
  await page.goto(`/${tenantSlug}/test`);
  await expect(page.getByText("Times in GMT+9").first()).toBeVisible();
  const menu = page.getByRole("button", { name: /account and organizations/ });
  await menu.click();
  await page.getByRole("button", { name: "Show times in UTC" }).click();
  await expect(page.getByText("Times in UTC").first()).toBeVisible();
  await page.goto(`/${tenantSlug}/test/api-keys`);
  await expect(
    page
      .getByRole("row")
      .getByText(/^just now$|^\d+ minutes? ago$/)
      .first(),
  ).toBeVisible();
  await menu.click();
  await page.getByRole("button", { name: "Show exact times" }).click();
  await expect(
    page
      .getByRole("row")
      .getByText(/\d{4}, \d{2}:\d{2}:\d{2} UTC/)
      .first(),
  ).toBeVisible();
  await visitor.close();
});

test("at 320 pixels nothing overflows, and on a short screen the thread is taller than the composer @full", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const base = `/${tenantSlug}/test`;
  await page.setViewportSize({ width: 320, height: 640 });
  for (const path of ["", "/webhooks/new", "/conversations", "/settings"]) {
    await page.goto(`${base}${path}`);
    await expectNoOverflow(page, path);
  }
  await page.goto(`${base}/settings/profile`);
  await expect(
    page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Profile" }),
  ).toBeInViewport({ ratio: 0.9 });
  await page.goto(`${base}/conversations`);
  await page.getByRole("button", { name: "Create conversation" }).click();
  await page.getByLabel("What the customer writes").fill("Hello");
  await page.getByRole("dialog").getByRole("button", { name: "Create conversation" }).click();
  await expect(page.getByRole("log").getByText("Hello")).toBeVisible();
  // A screen of 1280 × 720 at a zoom of 200 %.
  await page.setViewportSize({ width: 640, height: 360 });
  const heightOf = async (name: string) =>
    (await page.getByRole("region", { name, exact: true }).boundingBox())?.height ?? 0;
  expect(await heightOf("Messages")).toBeGreaterThan(120);
});

test("lists have pages in both directions, a size, an order and a CSV, and a request opens over its list with its neighbors", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;
  const create = (name: string) =>
    request.post("/v1/public/customers", {
      data: { name },
      headers: { authorization: `Bearer ${key}` },
    });
  for (const index of Array.from({ length: 22 }).keys())
    expect((await create(index === 0 ? "=SUM(A1)" : `Ada ${index}`)).status()).toBe(201);
  await request.get("/v1/public/customers/cus_00000000000000000000000000", {
    headers: { authorization: `Bearer ${key}` },
  });

  await page.goto(`${base}/customers`);
  const pages = page.getByRole("navigation", { name: "Pages of the list" });
  const rows = page.getByRole("rowheader");
  await expect(pages.getByText("1–20")).toBeVisible();
  await pages.getByRole("link", { name: "Next page" }).click();
  await expect(rows).toHaveCount(2);
  await pages.getByRole("link", { name: "Previous page" }).click();
  await expect(rows).toHaveCount(20);
  await expect(rows.first()).toContainText("Ada 21");
  await pages.getByRole("link", { name: "50 rows per page" }).click();
  await expect(pages.getByText("22 total")).toBeVisible();
  await page.getByRole("columnheader", { name: "Created" }).getByRole("link").click();
  await expect(rows.first()).toContainText("=SUM(A1)");

  const csv = await page.request.get(`${base}/customers/csv?order=asc`);
  expect(csv.headers()["content-disposition"]).toContain("customers-");
  const lines = (await csv.text()).trim().split("\r\n");
  expect(lines).toHaveLength(23);
  expect(lines[1]).toContain(",'=SUM(A1),");
  for (const list of ["events", "logs"])
    expect((await page.request.get(`${base}/${list}/csv`)).status(), list).toBe(200);
  await page.goto(`${base}/settings/audit-log`);
  for (const action of ["Customers exported", "Events exported", "Request logs exported"])
    await expect(page.getByRole("listitem").filter({ hasText: action })).toBeVisible();
  // Of a search for a customer, the log, from which nothing is erased, has only the filter.
  await page.request.get(`${base}/customers/csv?q=jane%40customer.example`);
  const auditLog = await (await page.request.get(`${base}/settings/audit-log/csv`)).text();
  for (const action of ["customers.exported", "audit_log.exported"])
    expect(auditLog).toContain(action);
  expect(auditLog).not.toContain("jane@customer.example");

  await page.goto(`${base}/logs`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByText("not-found").first()).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await rows.first().getByRole("link").click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByRole("button", { name: "Copy as curl" })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(drawer.getByText("201 Created").first()).toBeVisible();
  // Ids in JSON are links.
  await expect(drawer.getByRole("link", { name: /^cus_/ }).first()).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Errors by type" }).click();
  await page.getByRole("row").filter({ hasText: "/customers/{id}" }).getByRole("link").click();
  await expect(page.getByLabel("Operation")).toHaveValue("/v1/public/customers/{id}");

  await page.goto(`${base}/events?objectId=cus_00000000000000000000000000`);
  await expect(page.getByText("No events match these filters")).toBeVisible();
  await page.goto(`${base}/events?undelivered=true`);
  await expect(page.getByText("No events match these filters")).toBeVisible();
});

test("a page requests no other page before the pointer or the focus is near its link", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const names = ["Ada", "Grace", "Edsger"];
  for (const name of names) await request.post("/v1/public/customers", { headers, data: { name } });
  await request.post("/v1/public/customers", { headers, data: {} });
  // Away from all links.
  await page.mouse.move(0, 0);
  const prefetched: string[] = [];
  page.on("request", (sent) => {
    if (sent.headers()["next-router-prefetch"]) prefetched.push(new URL(sent.url()).pathname);
  });
  for (const path of ["", "/customers", "/events", "/logs", "/settings"]) {
    await page.goto(`/${tenantSlug}/test${path}`, { waitUntil: "networkidle" });
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  expect(prefetched).toEqual([]);

  await page.goto(`/${tenantSlug}/test/customers`);
  await page.getByRole("link", { name: "Edsger" }).hover();
  await expect.poll(() => prefetched.length).toBeGreaterThan(0);
  expect(new Set(prefetched).size).toBe(1);
  expect(prefetched[0]).toContain("/customers/cus_");
});

test("on a small laptop, the sidebar shows all its pages without scrolling", async ({ page }) => {
  const { tenantSlug } = await signUp(page);
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto(`/${tenantSlug}/test`);
  await expect(page.getByRole("link", { name: "Settings" })).toBeInViewport({ ratio: 1 });
  const sidebar = page.getByRole("banner").filter({ has: page.getByText("Documentation") });
  const hidden = await sidebar.evaluate((element) => element.scrollHeight - element.clientHeight);
  expect(hidden).toBe(0);
});

test("columns of a webhook leave room for their values", async ({ page, request }) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const created = await request.post("/v1/public/webhooks", {
    headers,
    data: { url: "https://example.com/hook", events: ["*"] },
  });
  await page.goto(`/${tenantSlug}/test/webhooks/${(await created.json()).id}`);
  for (const width of [1280, 1024, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoOverflow(page, `webhook, ${width} px`);
    const widths = await page
      .getByRole("definition")
      .evaluateAll((values) => values.map((value) => value.getBoundingClientRect().width));
    expect(widths.length).toBeGreaterThan(5);
    expect(Math.min(...widths), `${width} px`).toBeGreaterThan(90);
  }
});
