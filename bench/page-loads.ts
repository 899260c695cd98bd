// For `npm run bench:pages -- --browser`: how soon a visitor of a page sees its content, and the
// size of the scripts that it transfers.
import { setTimeout as sleep } from "node:timers/promises";
import { type Browser, chromium } from "@playwright/test";
import { median, percentile } from "./setting";

export const browserGoal = { lcpMs: 500, scriptKb: 180 };

export type PageLoads = { lcpMs: number; lcpP95Ms: number; scriptKb: number; requests: number };

const settleMs = 700;

type Load = { lcpMs: number; scriptBytes: number; requests: number };

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update"],
  });

/**
 * Loads the page in turn, each time as a first visit: with a new profile, and so with an empty
 * cache. The first two loads, which make the server load its modules, are not counted.
 */
export async function measureLoads(
  browser: Browser,
  page: { url: string; cookie: { name: string; value: string } },
  visits: number,
): Promise<PageLoads> {
  const loads: Load[] = [];
  for (let index = -2; index < visits; index++) {
    const load = await loadOnce(browser, page);
    if (index >= 0) loads.push(load);
  }
  const lcp = loads.map(({ lcpMs }) => lcpMs);
  return {
    lcpMs: median(lcp),
    lcpP95Ms: percentile(lcp, 0.95),
    scriptKb: median(loads.map(({ scriptBytes }) => scriptBytes)) / 1_024,
    requests: median(loads.map(({ requests }) => requests)),
  };
}

async function loadOnce(
  browser: Browser,
  { url, cookie }: { url: string; cookie: { name: string; value: string } },
): Promise<Load> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  try {
    await context.addCookies([{ ...cookie, url }]);
    await context.addInitScript(() => {
      new PerformanceObserver((list) => {
        Object.assign(window, { largestPaintMs: list.getEntries().at(-1)?.startTime });
      }).observe({ type: "largest-contentful-paint", buffered: true });
    });
    const page = await context.newPage();
    const response = await page.goto(url, { waitUntil: "load" });
    if (response?.status() !== 200) throw new Error(`${url}: ${response?.status()}`);
    // The observer is called after the frame that it reports.
    await page.waitForFunction(() => "largestPaintMs" in window);
    // Wait for late scripts. Network idle never comes on pages that refresh.
    await sleep(settleMs);
    return await page.evaluate(() => {
      const resources = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const scripts = resources.filter(({ name }) => /\.js(\?|$)/.test(name));
      return {
        lcpMs: (window as unknown as { largestPaintMs: number }).largestPaintMs,
        scriptBytes: scripts.reduce((total, { encodedBodySize }) => total + encodedBodySize, 0),
        // And the page itself.
        requests: resources.length + 1,
      };
    });
  } finally {
    await context.close();
  }
}
