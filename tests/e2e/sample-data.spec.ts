import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

type List = { data: { id: string; name: string }[] };

test("sample data is added with documents that are found, and removed with one click @full", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;
  async function list(path: string): Promise<List["data"]> {
    const headers = { authorization: `Bearer ${key}` };
    const response = await page.request.get(`/v1/public${path}`, { headers });
    return ((await response.json()) as List).data;
  }
  const counts = async () => {
    const found: Record<string, number> = {};
    for (const name of ["conversations", "customers", "agents", "knowledge-bases"])
      found[name] = (await list(`/${name}`)).length;
    return found;
  };

  await page.goto(base);
  const panel = page.getByRole("region", { name: "Sample data" });
  await panel.getByRole("button", { name: "Add sample data" }).click();
  await expect(panel.getByRole("button", { name: "Remove sample data" })).toBeVisible();
  await expectNoViolations(page, "an overview with sample data");
  expect(await counts()).toEqual({
    ...{ conversations: 4, customers: 4, agents: 1, "knowledge-bases": 1 },
  });

  const [knowledgeBase] = await list("/knowledge-bases");
  await page.goto(`${base}/knowledge/${knowledgeBase?.id}`);
  for (const name of ["shipping.md", "returns.md", "invoices.md"])
    await expect(page.getByRole("row").filter({ hasText: name })).toContainText("Ready");
  const found = await list(`/knowledge-bases/${knowledgeBase?.id}/search?q=flickering`);
  expect(found.map(({ name }) => name)).toEqual(["returns.md"]);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(base);
  await expectNoOverflow(page, "an overview with sample data at 390 px");
  await panel.getByRole("button", { name: "Remove sample data" }).click();
  await expect(panel.getByRole("button", { name: "Add sample data" })).toBeVisible();
  expect(await counts()).toEqual({
    ...{ conversations: 0, customers: 0, agents: 0, "knowledge-bases": 0 },
  });
});

test("the sample data is still offered after the first requests, and no longer in an environment that is in use", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const headers = { authorization: `Bearer ${key}` };
  const create = async () => {
    const data = { channelId: "web", message: "Hello" };
    const sent = await page.request.post("/v1/public/conversations", { headers, data });
    expect(sent.status()).toBe(201);
  };
  const offer = page.getByRole("button", { name: "Add sample data" });

  for (let count = 0; count < 9; count++) await create();
  await page.goto(`/${tenantSlug}/test`);
  await expect(offer).toBeVisible();
  await create();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  await expect(offer).toBeHidden();
});
