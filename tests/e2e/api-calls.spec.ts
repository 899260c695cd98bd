import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";
import { expectNoViolations } from "./watch";

const execute = promisify(execFile);

type Sent = Record<string, unknown> & { id: string };

/** The differences between two objects that were made in the same way. */
const own = new Set([
  ...["id", "createdAt", "updatedAt", "lastMessageAt", "customerId", "conversationId", "sequence"],
  ...["secret", "secretHint", "messageCount"],
]);
const withoutOwn = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !own.has(name)));

/** Text that a shell, JSON and a programming language each write in another way. */
const hostile = `It's "quoted" — $HOME, \`id\`, \\n\nand 'more'`;

test("each form shows an API call that stores what the form stores", async ({ page }) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;

  /** Reads the call of the form that is open, and runs its curl. */
  async function runShown(call: string): Promise<Sent> {
    await page.getByRole("button", { name: "Show as API call" }).click();
    const dialog = page.getByRole("dialog", { name: "API call" });
    const sample = (language: string) =>
      dialog.getByRole("tabpanel", { name: language }).locator("pre");
    await expect(sample("curl")).toContainText("curl");
    const curl = (await sample("curl").textContent()) ?? "";
    await dialog.getByRole("tab", { name: "TypeScript" }).click();
    await expect(sample("TypeScript")).toContainText(`await parlance.${call}(`);
    await dialog.getByRole("tab", { name: "Python" }).click();
    await expect(sample("Python")).toContainText("result = parlance.");
    if (call === "customers.create") await expectNoViolations(page, "an API call");
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toBeHidden();
    const { stdout } = await execute(
      "bash",
      ["-c", `${curl} --silent --show-error --fail-with-body`],
      {
        env: { ...process.env, PARLANCE_API_KEY: key },
      },
    );
    return JSON.parse(stdout) as Sent;
  }
  const api = async (method: string, path: string) =>
    (await (
      await page.request.fetch(`/v1/public${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
      })
    ).json()) as Sent;
  const idOfPage = async (prefix: string) => {
    await expect(page).toHaveURL(new RegExp(`/${prefix}_[0-9A-Z]{26}$`));
    return new URL(page.url()).pathname.split("/").at(-1) ?? "";
  };
  const name = () => page.getByLabel("Name", { exact: true });
  async function addMetadata(text: string) {
    await page.getByRole("button", { name: "Add a key" }).click();
    await page.getByLabel("Key 1", { exact: true }).fill("note");
    await page.getByLabel("Value 1", { exact: true }).fill(text);
  }

  await page.goto(`${base}/customers`);
  await page.getByRole("button", { name: "Create customer" }).click();
  await name().fill(`Ada ${hostile.split("\n")[0]}`);
  await page.getByLabel("Email").fill("ada@example.com");
  const byCall = await runShown("customers.create");
  await page.getByRole("button", { name: "Create customer" }).click();
  const customerId = await idOfPage("cus");
  const byForm = await api("GET", `/customers/${customerId}`);
  expect(withoutOwn(byForm)).toEqual(withoutOwn(byCall));

  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Phone").fill("+4930123456");
  await addMetadata("it's new");
  const edited = await runShown("customers.update");
  expect(edited).toMatchObject({ id: customerId, phone: "+4930123456" });
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Customer updated.")).toBeVisible();
  expect(await api("GET", `/customers/${customerId}`)).toEqual(edited);

  await page.goto(`${base}/conversations`);
  await page.getByRole("button", { name: "Create conversation" }).first().click();
  await page.getByLabel("Subject").fill("It's broken");
  await page.getByLabel("What the customer writes").fill(hostile);
  const started = await runShown("conversations.create");
  await page.getByRole("dialog").getByRole("button", { name: "Create conversation" }).click();
  const conversationId = await idOfPage("cnv");
  const conversation = await api("GET", `/conversations/${conversationId}`);
  expect(withoutOwn(conversation)).toEqual(withoutOwn(started));

  await page.getByLabel("Reply", { exact: true }).fill(hostile);
  const posted = await runShown("conversations.messages.create");
  await page.getByRole("button", { name: "Send reply" }).click();
  await expect(page.getByText("Reply sent.")).toBeAttached();
  const { data } = (await api("GET", `/conversations/${conversationId}/messages?order=desc`)) as {
    data?: Sent[];
  };
  expect(withoutOwn(data?.[0] ?? {})).toEqual(withoutOwn(posted));
  expect(posted).toMatchObject({ author: { type: "USER", name: "Ada Lovelace" }, text: hostile });

  await page.goto(`${base}/webhooks/new`);
  await page.getByLabel("URL", { exact: true }).fill("https://example.com/hook?a='b'&c=$d");
  await page.getByLabel("Description").fill("It's ours");
  await page.getByRole("checkbox", { name: /All events/ }).check();
  const webhook = await runShown("webhooks.create");
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("Copy the signing secret now")).toBeVisible();
  const { data: webhooks } = (await api("GET", "/webhooks")) as { data?: Sent[] };
  expect(withoutOwn(webhooks?.[0] ?? {})).toEqual(withoutOwn(webhook));

  await page.goto(`${base}/webhooks/${webhook.id}/edit`);
  await page.getByLabel("Description").fill("Changed");
  await addMetadata("mine");
  const changed = await runShown("webhooks.update");
  expect(changed).toMatchObject({ description: "Changed", metadata: { note: "mine" } });

  await page.goto(`${base}/knowledge`);
  await page.getByRole("button", { name: "Create knowledge base" }).click();
  await name().fill("It's a manual");
  await page.getByLabel("Language").selectOption("English");
  const knowledgeBase = await runShown("knowledgeBases.create");
  await api("DELETE", `/knowledge-bases/${knowledgeBase.id}`);
  await page.getByRole("dialog").getByRole("button", { name: "Create knowledge base" }).click();
  const baseId = await idOfPage("kb");
  expect(withoutOwn(await api("GET", `/knowledge-bases/${baseId}`))).toEqual(
    withoutOwn(knowledgeBase),
  );

  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("Description").fill(hostile);
  const described = await runShown("knowledgeBases.update");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Knowledge base updated.")).toBeVisible();
  expect(await api("GET", `/knowledge-bases/${baseId}`)).toEqual(described);

  await page.getByRole("button", { name: "Paste text…" }).click();
  await name().fill("hours.md");
  await page.getByLabel("Text", { exact: true }).fill(hostile);
  const pasted = await runShown("knowledgeBases.documents.upload");
  await api("DELETE", `/knowledge-bases/${baseId}/documents/${pasted.id}`);
  await page.getByRole("button", { name: "Add document" }).click();
  await page.getByRole("link", { name: "hours.md" }).click();
  const documentId = await idOfPage("doc");
  const document = await api("GET", `/knowledge-bases/${baseId}/documents/${documentId}`);
  for (const field of ["name", "contentType", "sha256"])
    expect(document[field]).toEqual(pasted[field]);

  await page.goto(`${base}/agents`);
  await page.getByRole("button", { name: "Create agent" }).click();
  await name().fill("It's Ada");
  const agent = await runShown("agents.create");
  await page.getByRole("dialog").getByRole("button", { name: "Create agent" }).click();
  const agentId = await idOfPage("agt");
  expect(withoutOwn(await api("GET", `/agents/${agentId}`))).toEqual(withoutOwn(agent));
  await page.getByLabel("Instructions").fill(hostile);
  const draft = await runShown("agents.update");
  expect(draft).toMatchObject({ id: agentId, instructions: hostile });
});
