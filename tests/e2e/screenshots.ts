// `npm run screenshots`: saves a screenshot of every page, light and dark, wide and narrow, and at
// 200 % zoom, in the folder screenshots/.
import { mkdirSync, rmSync } from "node:fs";
import { chromium } from "@playwright/test";
import { furnish } from "./furnish";
import { makePast } from "./past";
import startProduct from "./start-product";

const folder = "screenshots";
const looks = [
  { suffix: "", colorScheme: "light" as const, viewport: { width: 1280, height: 860 } },
  { suffix: "-dark", colorScheme: "dark" as const, viewport: { width: 1280, height: 860 } },
  { suffix: "-narrow", colorScheme: "light" as const, viewport: { width: 390, height: 844 } },
  { suffix: "-small", colorScheme: "dark" as const, viewport: { width: 320, height: 640 } },
  // A window of 1280 × 860 at 200 %.
  {
    suffix: "-zoomed",
    colorScheme: "light" as const,
    viewport: { width: 640, height: 430 },
    deviceScaleFactor: 2,
  },
];

const stop = await startProduct();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const { cookies, pages, close } = await furnish(browser);
await makePast();
try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { suffix, ...look } of looks) {
    const context = await browser.newContext({
      ...look,
      baseURL: process.env.PRODUCT_URL,
    });
    const page = await context.newPage();
    const shoot = async (name: string, path: string) => {
      await page.goto(path);
      // Does not wait for the network to be idle, because some pages refresh periodically.
      await page.getByRole("heading", { level: 1, includeHidden: true }).first().waitFor();
      await page.evaluate(() => document.fonts.ready);
      await page.waitForTimeout(500);
      await page.screenshot({ path: `${folder}/${name}${suffix}.png`, scale: "css" });
    };
    for (const [name, path] of Object.entries({
      login: "/login",
      "sign-up": "/signup",
      docs: "/docs",
      reference: "/docs/reference/conversations/create-conversation",
    })) {
      await shoot(name, path);
    }
    await context.addCookies(cookies);
    for (const { name, path } of pages) await shoot(name, path);
    await context.close();
  }
  process.stdout.write(`The screenshots are in ${folder}/.\n`);
} finally {
  await browser.close();
  close();
  await stop();
}
