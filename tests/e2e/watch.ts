import type { Page } from "@playwright/test";
import axe, { type AxeResults, type RunOptions } from "axe-core";
import { expect } from "./test";

/** Records requests of a page to other hosts, and its errors. */
export function watch(page: Page): string[] {
  const findings: string[] = [];
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && host !== new URL(process.env.PRODUCT_URL ?? "").host)
      findings.push(request.url());
  });
  page.on("console", (message) => message.type() === "error" && findings.push(message.text()));
  page.on("pageerror", (error) => findings.push(error.message));
  return findings;
}

const axeOptions: RunOptions = {
  // Violations are shown as HTML. A selector for each element that passes takes longer than the rules.
  resultTypes: ["violations"],
  selectors: false,
  rules: {
    // An experimental rule: voice control finds a control by the text that it shows.
    "label-content-name-mismatch": { enabled: true },
    // Waited for instead: while a refresh replaces the title, there is none.
    "document-title": { enabled: false },
  },
};

/**
 * Ends all transitions and prevents others: during one, colors and sizes are those of another look.
 * Fails if anything moves nevertheless. @param look the prefix of what does.
 */
async function withoutMotion(page: Page, look: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const moving = await page.evaluate(() =>
    document.getAnimations().map(({ effect }) => {
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      return target?.outerHTML.slice(0, 160);
    }),
  );
  expect([look, moving]).toEqual([look, []]);
}

/** Runs axe on the page, without motion. @param look the prefix of each violation. */
export async function expectNoViolations(page: Page, look: string): Promise<void> {
  await withoutMotion(page, look);
  await expect(page).toHaveTitle(/./);
  // Once for all looks of a page, because loading axe takes as long as running it.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults, RunOptions>(
    (options) => (window as unknown as { axe: typeof axe }).axe.run(options),
    axeOptions,
  );
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
  );
  expect([look, found]).toEqual([look, []]);
}

/** Fails with the elements that are wider than the page, without motion. */
export async function expectNoOverflow(page: Page, look: string): Promise<void> {
  await withoutMotion(page, look);
  const { overflow, elements } = await page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    const elements = [...document.body.querySelectorAll("*")]
      .map((element) => ({ element, right: Math.round(element.getBoundingClientRect().right) }))
      .filter(({ right }) => right > clientWidth)
      .map(
        ({ element, right }) => `${right} of ${clientWidth} px: ${element.outerHTML.slice(0, 160)}`,
      );
    const overflow = scrollWidth - clientWidth;
    return { overflow, elements: overflow === 0 ? [] : elements };
  });
  expect([look, overflow, elements]).toEqual([look, 0, []]);
}

/**
 * Finds texts that are only in a `title`, which neither the keyboard nor a touch screen shows. Exact
 * times are a choice in the account menu, charts have a table, and rows a page.
 */
export async function expectNoHoverOnly(page: Page, look: string): Promise<void> {
  const hidden = await page.locator("[title]").evaluateAll((elements) =>
    elements
      .filter((element) => {
        const { title, textContent, ariaLabel } = element as HTMLElement;
        const isElsewhere = element.closest("time, [aria-hidden=true], tr:has(.row-link)");
        return !isElsewhere && textContent?.trim() !== title && ariaLabel !== title;
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 160)),
  );
  expect([look, hidden]).toEqual([look, []]);
}
