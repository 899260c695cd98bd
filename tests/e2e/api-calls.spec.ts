import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "@playwright/test";
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

type Form = { form?: Locator; body?: string };

/** Reads the call of an open form, and runs its curl in a folder. */
function callsOf(page: Page, key: string, folder = tmpdir()) {
  /** @param options.body what the call has in its body */
  return async function runShown(call: string, { form, body = "" }: Form = {}): Promise<Sent> {
    await (form ?? page).getByRole("button", { name: "Show as API call" }).click();
    const dialog = page.getByRole("dialog", { name: "API call" });
    const sample = (language: string) =>
      dialog.getByRole("tabpanel", { name: language }).locator("pre");
    // The dialog opens with the language that was chosen last.
    await dialog.getByRole("tab", { name: "curl" }).click();
    await expect(sample("curl")).toContainText("curl");
    await expect(sample("curl")).toContainText(body);
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
      { cwd: folder, env: { ...process.env, PARLANCE_API_KEY: key } },
    );
    return JSON.parse(stdout) as Sent;
  };
}

/** Sends a request of the API. */
const apiOf =
  (page: Page, key: string) =>
  async (method: string, path: string, data?: object): Promise<Sent> =>
    (await (
      await page.request.fetch(`/v1/public${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
        ...(data && { data }),
      })
    ).json()) as Sent;

test("each form shows an API call that stores what the form stores @full", async ({ page }) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;
  const runShown = callsOf(page, key);
  const api = apiOf(page, key);
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
  // The inbox now has a conversation. The open dialog must stay.
  for (let refresh = 0; refresh < 3; refresh++) await page.waitForResponse("**/health");
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

test("the forms for documents, snoozing, deliveries and secrets show their API call, too @full", async ({
  page,
}) => {
  const { tenantSlug } = await signUp(page);
  const key = await newTestKey(page);
  const base = `/${tenantSlug}/test`;
  const folder = await mkdtemp(join(tmpdir(), "api-calls-"));
  const runShown = callsOf(page, key, folder);
  const api = apiOf(page, key);
  const dialog = (name: string | RegExp) => page.getByRole("dialog", { name });

  const knowledgeBase = await api("POST", "/knowledge-bases", { name: "Manual" });
  const documents = `/knowledge-bases/${knowledgeBase.id}/documents`;
  const first = await api("POST", documents, { name: "hours.md", text: "Open from 9 to 5." });
  const fileName = "it's new; really, new.md";
  const path = join(folder, fileName);
  await writeFile(path, hostile);
  await page.goto(`${base}/knowledge/${knowledgeBase.id}/documents/${first.id}`);
  await page.getByRole("button", { name: "Replace file…" }).click();
  await page.getByLabel("File", { exact: true }).setInputFiles(path);
  // The page follows the document, so the dialog gets the new name.
  const form = dialog(/^Replace “/);
  const replaced = await runShown("knowledgeBases.documents.replace", { form });
  expect(replaced).toMatchObject({ id: first.id, name: fileName, contentType: "text/markdown" });
  expect(replaced.sha256).toBe(createHash("sha256").update(hostile).digest("hex"));
  await form.getByRole("button", { name: "Cancel" }).click();

  const customer = await api("POST", "/customers", { name: "Ada" });
  const started = { channelId: "web", customerId: customer.id, message: "Hello" };
  const { id: conversationId } = await api("POST", "/conversations", started);
  await page.goto(`${base}/conversations/${conversationId}`);
  await page.getByRole("button", { name: "Change the status" }).click();
  await page.getByRole("button", { name: "Snooze…" }).click();
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const time = `${day}T09:00`;
  const snoozedUntil = await page.evaluate((text) => new Date(text).toISOString(), time);
  const snoozing = dialog("Snooze until");
  await snoozing.getByLabel("Another time").fill(time);
  const byCall = await runShown("conversations.update", { form: snoozing });
  expect(byCall).toMatchObject({ id: conversationId, status: "SNOOZED", snoozedUntil });
  await api("PATCH", `/conversations/${conversationId}`, { status: "OPEN" });
  await snoozing.getByRole("button", { name: "Snooze", exact: true }).click();
  await expect(snoozing).toBeHidden();
  const byForm = await api("GET", `/conversations/${conversationId}`);
  expect(byForm).toMatchObject({ status: "SNOOZED", snoozedUntil });

  const url = "https://example.com/hook";
  const webhook = await api("POST", "/webhooks", { url, events: ["*"] });
  await page.goto(`${base}/webhooks/${webhook.id}`);
  await page.getByRole("button", { name: "Replay…" }).click();
  const replaying = dialog("Replay events");
  await replaying.getByLabel("Which events").selectOption("Events never sent to it");
  await replaying.getByRole("button", { name: "Count events" }).click();
  const counted = replaying.getByRole("button", { name: /^Replay \d+ events$/ });
  const [count] = /\d+/.exec((await counted.textContent()) ?? "") ?? [];
  const replayed = await runShown("webhooks.replay", { form: replaying, body: '"NONE"' });
  expect(replayed).toEqual({ count: Number(count), isMore: false });
  await replaying.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Recover…" }).click();
  const recovering = dialog("Resend failed deliveries");
  await recovering.getByLabel("Created in").selectOption("Since a time…");
  await recovering.getByLabel("Since (UTC)").fill("2026-01-31T09:30");
  const since = '"since": "2026-01-31T09:30:00Z"';
  const recovered = await runShown("webhooks.recover", { form: recovering, body: since });
  expect(recovered).toEqual({ count: expect.any(Number) });
  await recovering.getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Rotate secret…" }).click();
  const rotating = dialog("Rotate the signing secret?");
  await rotating.getByRole("radio", { name: "For an hour" }).check();
  const overlap = '"overlapSeconds": 3600';
  const rotated = await runShown("webhooks.rotateSecret", { form: rotating, body: overlap });
  expect(rotated).toMatchObject({ id: webhook.id, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.secret).not.toBe(webhook.secret);
  expect(rotated.previousSecretExpiresAt).not.toBeNull();
  await rm(folder, { recursive: true });
});
