// cspell:ignore émile maximiliane hohenfels
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

test("customers are sorted by name, creation and last change, over pages in both directions and in the CSV", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  const path = `/${tenantSlug}/test/customers`;
  const ids: string[] = [];
  for (const name of ["beta", "Alpha", "Émile", ...Array.from({ length: 19 }, (_, n) => `Z${n}`)]) {
    const created = await request.post("/v1/public/customers", { headers, data: { name } });
    ids.push((await created.json()).id);
  }
  await request.patch(`/v1/public/customers/${ids[0]}`, { headers, data: { locale: "de" } });

  await page.goto(path);
  const names = page.getByRole("rowheader").getByRole("link");
  const heading = (name: string) => page.getByRole("columnheader", { name });
  await expect(names.first()).toHaveText("Z18");
  await expect(heading("Created")).toHaveAttribute("aria-sort", "descending");
  await heading("Updated").getByRole("link").click();
  await expect(names.first()).toHaveText("beta");
  await expect(page).toHaveURL(/sort=updatedAt$/);
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(names).toHaveText(["Émile", "Alpha"]);
  await page.getByRole("link", { name: "Previous page" }).click();
  await expect(names.first()).toHaveText("beta");

  await heading("Customer").getByRole("link").click();
  await expect(names.nth(2)).toHaveText("Émile");
  await expect(names.first()).toHaveText("Alpha");
  await expect(heading("Customer")).toHaveAttribute("aria-sort", "ascending");
  await page.getByRole("link", { name: "Next page" }).click();
  await expect(names).toHaveText(["Z8", "Z9"]);
  await page.getByRole("link", { name: "Previous page" }).click();
  await expect(names.first()).toHaveText("Alpha");
  await expectNoViolations(page, "sorted customers");
  const csv = await (await page.request.get(`${path}/csv?sort=name&order=desc`)).text();
  expect(
    csv
      .trim()
      .split("\r\n")
      .map((line) => line.split(",")[1]),
  ).toEqual(
    [
      "name",
      ...Array.from({ length: 19 }, (_, n) => `Z${n}`)
        .sort()
        .toReversed(),
    ].concat(["Émile", "beta", "Alpha"]),
  );
});

test("a search keeps the focus, and follows the URL back and forth", async ({ page, request }) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  for (const name of ["Ada", "Grace"])
    await request.post("/v1/public/customers", { headers, data: { name } });

  await page.goto(`/${tenantSlug}/test/customers`);
  const search = page.getByRole("searchbox", { name: "Search", exact: true });
  const names = page.getByRole("rowheader").getByRole("link");
  await search.fill("ada");
  await search.press("Enter");
  await expect(names).toHaveText(["Ada"]);
  await expect(search).toBeFocused();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("grace");
  await page.keyboard.press("Enter");
  await expect(names).toHaveText(["Grace"]);
  await page.goBack();
  await expect(names).toHaveText(["Ada"]);
  await expect(search).toHaveValue("ada");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(names).toHaveText(["Grace", "Ada"]);
  await expect(search).toHaveValue("");
});

test("on a narrow screen, a menu sorts each table that its headings sort on a wide one", async ({
  page,
  request,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  for (const name of ["beta", "Alpha", "Gamma"])
    for (const list of ["customers", "knowledge-bases", "agents"])
      await request.post(`/v1/public/${list}`, { headers, data: { name } });
  const names = page.getByRole("rowheader").getByRole("link");
  for (const [list, column] of [
    ["customers", "Customer"],
    ["knowledge", "Knowledge base"],
    ["agents", "Agent"],
  ] as const) {
    await page.goto(`/${tenantSlug}/test/${list}`);
    await expect(names).toHaveText(["Gamma", "Alpha", "beta"]);
    await page.getByRole("button", { name: /^Sort: / }).click();
    await page.getByRole("link", { name: `${column}, A to Z` }).click();
    await expect(names).toHaveText(["Alpha", "beta", "Gamma"]);
    const button = page.getByRole("button", { name: `Sort: ${column}, A to Z` });
    await expect(button).toBeVisible();
    await expectNoOverflow(page, list);
    await button.click();
    await expect(page.getByRole("link", { name: `${column}, A to Z` })).toHaveAttribute(
      "aria-current",
      "true",
    );
    await expectNoViolations(page, `${list}, sorted by its menu`);
    await page.getByRole("link", { name: `${column}, Z to A` }).click();
    await expect(names).toHaveText(["Gamma", "beta", "Alpha"]);
  }
});

test("long names, addresses and ids of customers and events fit a small laptop", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const headers = { authorization: `Bearer ${await newTestKey(page)}` };
  await request.post("/v1/public/customers", {
    headers,
    data: {
      name: "Maximiliane von Hohenfels-Waldenburg",
      email: "maximiliane.von.hohenfels@very-long-company-name.example.com",
      phone: "+493012345678901",
      externalId: "customer-0123456789-0123456789-0123456789",
    },
  });
  const conversation = { headers, data: { channelId: "web" } };
  expect((await request.post("/v1/public/conversations", conversation)).status()).toBe(201);
  for (const [list, text] of [
    ["customers", "+493012345678901"],
    ["events", "conversation.created"],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.goto(`/${tenantSlug}/test/${list}`);
    await expect(page.getByRole("row").filter({ hasText: text })).toBeVisible();
    for (const width of [1280, 1024, 390]) {
      await page.setViewportSize({ width, height: 700 });
      await expectNoOverflow(page, `${list}, ${width} px`);
    }
  }
});
