import { readFileSync } from "node:fs";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";

test("a page that cannot be refreshed stays visible and says so, and recovers by itself @full", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  await request.post("/v1/public/customers", {
    headers: { Authorization: `Bearer ${key}` },
    data: { name: "Ada" },
  });
  // Makes an event unreadable, and restores it.
  const [{ tenantId, payload } = { tenantId: "", payload: "" }] = await queryDatabase<{
    tenantId: string;
    payload: string;
  }>(
    `SELECT tenant_id AS "tenantId", payload FROM events WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1)`,
    [tenantSlug],
  );
  const setPayload = (text: string) =>
    queryDatabase("UPDATE events SET payload = $2 WHERE tenant_id = $1", [tenantId, text]);
  const event = page.getByRole("link", { name: "customer.created" });
  const behind = page.getByText("Not up to date. Trying again…");
  const failure = page.getByRole("heading", { name: "This page could not be loaded" });

  await page.goto(`/${tenantSlug}/test/events`);
  await expect(event).toBeVisible();
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  await setPayload("{");
  await expect(behind).toBeVisible();
  await expect(event).toBeVisible();
  await setPayload(payload);
  await expect(behind).toBeHidden();
  await expect(event).toBeVisible();
  expect(await page.evaluate(() => "isSamePage" in window)).toBe(true);

  await setPayload("{");
  await page.reload();
  await expect(failure).toBeVisible();
  await expect(page.getByText("Trying again…")).toBeVisible();
  await setPayload(payload);
  await expect(event).toBeVisible();
  await expect(failure).toBeHidden();
});

test("a part of a page that cannot be rendered is logged with what the visitor is shown", async ({
  page,
  request,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  await request.post("/v1/public/customers", {
    headers: { Authorization: `Bearer ${key}` },
    data: { name: "Ada" },
  });
  // Valid JSON without a time: it can be read, and fails only where its time is rendered.
  const [{ id, payload } = { id: "", payload: "" }] = await queryDatabase<{
    id: string;
    payload: string;
  }>("SELECT id, payload FROM events WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1)", [
    tenantSlug,
  ]);
  const { timestamp: _time, ...rest } = JSON.parse(payload);
  await queryDatabase("UPDATE events SET payload = $2 WHERE id = $1", [id, JSON.stringify(rest)]);

  const path = `/${tenantSlug}/test/events/${id}`;
  await page.goto(`${path}?q=hunter2`);
  await expect(page.getByRole("heading", { name: "This page could not be loaded" })).toBeVisible();
  const digest = await page.getByRole("alert").locator("code").textContent();
  const logged = () =>
    readFileSync(process.env.PRODUCT_LOG ?? "", "utf8")
      .split("\n")
      // The last line may still be incomplete.
      .slice(0, -1)
      .filter((line) => line.includes(path));
  await expect
    .poll(() => logged().map((line) => JSON.parse(line)))
    .toContainEqual(
      expect.objectContaining({
        level: 50,
        method: "GET",
        path,
        digest,
        err: expect.objectContaining({ message: expect.stringContaining("Invalid time") }),
      }),
    );
  expect(logged().join("")).not.toContain("hunter2");
});
