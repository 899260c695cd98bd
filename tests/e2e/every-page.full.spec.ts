import { gzipSync } from "node:zlib";
import { furnish } from "./furnish";
import { expect, newVisitor, test } from "./test";
import { expectNoHoverOnly, expectNoOverflow, expectNoViolations, watch } from "./watch";

/** The compressed size of all scripts of a page: what a first visit loads until it is complete. */
const maximumScriptKilobytes = 180;

const wide = { width: 1280, height: 900 };
const narrow = { width: 390, height: 844 };
const small = { width: 320, height: 640 };
/** Before a release, each page is checked in all of them; otherwise, in both schemes and widths. */
const looks = [
  { name: "light", colorScheme: "light", viewport: wide, isEssential: true },
  { name: "dark", colorScheme: "dark", viewport: wide, isEssential: false },
  { name: "light and narrow", colorScheme: "light", viewport: narrow, isEssential: false },
  { name: "dark and small", colorScheme: "dark", viewport: small, isEssential: true },
] as const;
const checkedLooks = looks.filter(
  ({ isEssential }) => isEssential || process.env.TEST_SUITE === "release",
);

let furnished: Awaited<ReturnType<typeof furnish>> | undefined;

/** Created by beforeAll. */
function tenant() {
  if (!furnished) throw new Error("the sample data is missing");
  return furnished;
}

/** Together they take minutes, so each has a test's time for itself. */
const parts = 12;

test.describe.configure({ mode: "default" });

test.beforeAll(async ({ browser }) => {
  furnished = await furnish(browser);
});

test.afterAll(() => furnished?.close());

for (let part = 1; part <= parts; part++)
  test(`every page in several looks: axe reports no violations, nothing overflows or needs a pointer to be read, no other host is requested, the console is empty (${part} of ${parts}) @release`, async ({
    browser,
  }) => {
    const context = await newVisitor(browser);
    await context.addCookies(tenant().cookies);
    const page = await context.newPage();
    const findings = watch(page);
    const pages = tenant().pages.filter((_, index) => index % parts === part - 1);
    for (const { name: pageName, path } of pages) {
      await page.goto(path, { waitUntil: "load" });
      // Also behind a drawer, which hides the page behind it from assistive technology only.
      await expect(
        page.getByRole("heading", { level: 1, includeHidden: true }).first(),
        pageName,
      ).toBeVisible();
      await expectNoHoverOnly(page, pageName);
      for (const { name, colorScheme, viewport } of checkedLooks) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await expectNoOverflow(page, `${pageName}, ${name}`);
        await expectNoViolations(page, `${pageName}, ${name}`);
      }
    }
    await context.close();
    expect(findings).toEqual([]);
  });

test("the first load of each page stays below 180 KB of compressed JavaScript", async ({
  browser,
}) => {
  const [visitor, member] = await Promise.all([1, 2].map(() => newVisitor(browser)));
  if (!visitor || !member) throw new Error("no browser");
  await member.addCookies(tenant().cookies);
  const pages = tenant().pages.map(({ name, path }) => ({ name, path, request: member.request }));
  const open = ["/login", "/signup", "/docs", "/docs/reference"].map((path) => ({
    name: path,
    path,
    request: visitor.request,
  }));

  const weights = new Map<string, number>();
  const kilobytes: Record<string, number> = {};
  for (const { name, path, request } of [...pages, ...open]) {
    const html = await (await request.get(path)).text();
    // Scripts with `nomodule` are only loaded by browsers without support for modules.
    const tags = [...html.matchAll(/<script[^>]+src="([^"]+\.js[^"]*)"[^>]*>/g)].filter(
      ([tag]) => !/nomodule/i.test(tag),
    );
    const scripts = new Set(tags.map(([, source = ""]) => source));
    expect(scripts.size, name).toBeGreaterThan(2);
    for (const source of scripts) {
      if (!weights.has(source))
        weights.set(source, gzipSync(await (await request.get(source)).body()).length);
    }
    kilobytes[name] = Math.round(
      [...scripts].reduce((total, source) => total + (weights.get(source) ?? 0), 0) / 1024,
    );
  }
  await Promise.all([visitor.close(), member.close()]);
  process.stdout.write(`compressed JavaScript of each page, KB: ${JSON.stringify(kilobytes)}\n`);
  expect(Object.entries(kilobytes).filter(([, size]) => size >= maximumScriptKilobytes)).toEqual(
    [],
  );
});
