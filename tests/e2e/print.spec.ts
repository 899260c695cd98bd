import type { Page } from "@playwright/test";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoOverflow } from "./watch";

/** The elements of the page whose content is cut, as they clip it or scroll on a screen. */
const cutContent = (page: Page) =>
  page.locator("#content").evaluate((content) =>
    [...content.querySelectorAll("*")]
      .filter((element) => {
        const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
        // Only for screen readers, or inline.
        if (clientWidth <= 1 || clientHeight <= 1 || element.closest("svg")) return false;
        const { overflowX, overflowY } = getComputedStyle(element);
        return (
          (overflowX !== "visible" && scrollWidth > clientWidth + 1) ||
          (overflowY !== "visible" && scrollHeight > clientHeight + 1)
        );
      })
      .map((element) => element.outerHTML.slice(0, 160)),
  );

/** What every printed page has: the content alone, in black on white, and all of it. */
async function expectPrinted(page: Page, look: string): Promise<void> {
  await expect(page.getByRole("navigation")).toHaveCount(0);
  await expect(page.getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("textbox")).toHaveCount(0);
  expect([look, await cutContent(page)]).toEqual([look, []]);
  await expectNoOverflow(page, look);
  const colors = await page.evaluate(() => {
    const { color } = getComputedStyle(document.body);
    return { color, scheme: getComputedStyle(document.documentElement).colorScheme };
  });
  expect([look, colors]).toEqual([look, { color: "rgb(0, 0, 0)", scheme: "light" }]);
}

test("a printed page has its whole content, without navigation and buttons @full", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const post = async (path: string, data: object) =>
    (await (await page.request.post(`/v1/public${path}`, { headers, data })).json()) as {
      id: string;
    };
  const base = `/${tenantSlug}/test`;
  const heading = (level: number, name: string) => page.getByRole("heading", { level, name });
  // The width of a page of A4 with its margins. Screens are dark.
  await page.setViewportSize({ width: 718, height: 1_000 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });

  await page.goto(base);
  await expect(heading(1, "Overview")).toBeVisible();
  await expect(heading(2, "Getting started")).toBeVisible();
  await expect(page.getByRole("region", { name: "Sample data" })).toHaveCount(0);
  await expectPrinted(page, "overview");

  const customer = await post("/customers", { name: "Ada Lovelace" });
  const conversation = await post("/conversations", {
    channelId: "web",
    customerId: customer.id,
    subject: "A subject that is much too long for one line of a printed page. ".repeat(2).trim(),
    message: "Sentence 1.",
  });
  for (let number = 2; number <= 20; number++)
    await post(`/conversations/${conversation.id}/messages`, { text: `Sentence ${number}.` });
  await page.goto(`${base}/conversations/${conversation.id}`);
  const shown = (text: string) =>
    page.locator("#content").getByText(text, { exact: true }).filter({ visible: true });
  for (const number of [1, 2, 19, 20]) await expect(shown(`Sentence ${number}.`)).toHaveCount(1);
  await expectPrinted(page, "conversation");

  await page.goto(`${base}/usage`);
  await expect(heading(1, "Usage")).toBeVisible();
  await expect(heading(2, "By key")).toBeVisible();
  const month = page.locator("#content").getByText(/^[A-Z][a-z]+ \d{4}$/);
  await expect(month.filter({ visible: true }).first()).toBeVisible();
  await expectPrinted(page, "usage");
});
