import type { APIRequestContext, Page } from "@playwright/test";
import { pdfOf, png } from "../support/files";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, newVisitor, test } from "./test";
import { expectNoOverflow, expectNoViolations, watch } from "./watch";

type ApiObject = { id: string } & Record<string, unknown>;

/** The test environment of a new organization: its pages and its API. */
async function newInbox(page: Page, request: APIRequestContext) {
  const { email, tenantSlug } = await signUp(page);
  const key = await newTestKey(page);

  const call = async (method: string, path: string, data?: object): Promise<ApiObject> => {
    const response = await request.fetch(`/v1/public${path}`, {
      method,
      data,
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.ok(), await response.text()).toBe(true);
    return response.json();
  };
  const messages = async (id: string) => {
    const { data } = (await call("GET", `/conversations/${id}/messages`)) as unknown as {
      data: ApiObject[];
    };
    return data;
  };
  return { email, base: `/${tenantSlug}/test`, call, messages };
}

const writing = (page: Page) =>
  page.getByRole("form", { name: "Write a message" }).getByRole("textbox");
const thread = (page: Page) => page.getByRole("log");
const list = (page: Page) => page.getByRole("region", { name: "List" });

/** Stops the periodic refresh, so the page stays as it is between two refreshes. */
async function stopFollowing(page: Page): Promise<void> {
  const refused = page.waitForEvent("requestfailed", (sent) => sent.url().endsWith("/health"));
  await page.route("**/health", (route) => route.abort());
  // The page requests this only after its last refresh is complete.
  await refused;
}

/** A second member of the same organization, created without an email. */
async function addMember(page: Page, base: string, role: "MEMBER" | "VIEWER"): Promise<void> {
  const { email } = await signUp(page);
  const statement = `INSERT INTO memberships (tenant_id, user_id, role, created_at)
    SELECT t.id, u.id, $3::"Role", now() FROM tenants t, users u WHERE t.slug = $1 AND u.email = $2`;
  await queryDatabase(statement, [base.split("/")[1], email, role]);
}

test("the search box finds words and phrases in all statuses, marks them, and opens the conversation at the message", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const customer = { externalId: "u_1", name: "Maren Voß" };
  const { id } = await call("POST", "/conversations", {
    channelId: "web",
    subject: "Breakfast",
    message: "The café sent back order 4411.",
    customer,
  });
  await call("PATCH", `/conversations/${id}`, { status: "RESOLVED" });
  await call("POST", "/conversations", { channelId: "web", message: "Another order" });

  await page.goto(`${base}/conversations`);
  const box = page.getByRole("searchbox", { name: "Search messages, subjects and customers" });
  await expect(box).toBeVisible();
  await page.keyboard.press("/");
  await expect(box).toBeFocused();
  // The worker indexes messages a moment after they were posted.
  const query = 'cafe "order 4411"';
  const search = `/conversations/search?q=${encodeURIComponent(query)}`;
  await expect.poll(async () => (await call("GET", search)).data).toHaveLength(1);
  await box.fill(query);
  await page.keyboard.press("Enter");
  await expect(list(page).getByRole("link", { name: /Maren Voß/ })).toBeVisible();
  expect(new URL(page.url()).searchParams.get("q")).toBe('cafe "order 4411"');
  const found = list(page).getByRole("list", { name: "Conversations" });
  await expect(found.getByRole("listitem")).toHaveCount(1);
  await expect(found.locator("mark")).toHaveText(["café", "order 4411"]);
  await expectNoViolations(page, "search results");

  await found.getByRole("link").click();
  await expect(page.getByRole("heading", { name: "Breakfast" })).toBeVisible();
  await expect(thread(page).getByText("The café sent back order 4411.")).toBeVisible();
  await expect(found.getByRole("listitem")).toHaveCount(1);

  await box.fill('"');
  await page.keyboard.press("Enter");
  await expect(list(page)).toContainText("The search must have at least one letter or digit.");
  await box.fill("");
  await expect(list(page).getByRole("link", { name: /Another order/ })).toBeVisible();
});

test("a new message appears in the open inbox, and a reply, a note and a status change need only the keyboard", async ({
  page,
  request,
}) => {
  const { email, base, call, messages } = await newInbox(page, request);
  await page.goto(`${base}/conversations`);
  await expect(page.getByRole("heading", { name: "No test conversations yet" })).toBeVisible();

  const customer = { externalId: "u_1", name: "Maren Voss" };
  const older = await call("POST", "/conversations", {
    channelId: "web",
    subject: "An older one",
    message: "Hi",
  });
  const { id } = await call("POST", "/conversations", {
    channelId: "web",
    subject: "Where is it?",
    message: "Order 4411.",
    customer,
  });
  await expect(list(page).getByRole("link", { name: /Maren Voss/ })).toContainText("Order 4411.");

  await page.keyboard.press("j");
  await expect(page).toHaveURL(`${base}/conversations/${id}`);
  await page.keyboard.press("j");
  await expect(page).toHaveURL(`${base}/conversations/${older.id}`);
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", { name: "Where is it?" })).toBeVisible();

  await call("POST", `/conversations/${id}/messages`, { text: "It is urgent." });
  await expect(thread(page).getByText("It is urgent.")).toBeVisible();

  await page.keyboard.press("r");
  await page.keyboard.type("just a moment: e, j and k are letters here");
  await page.keyboard.press("Control+Enter");
  await expect(thread(page).getByText("just a moment: e, j and k are letters here")).toBeVisible();
  await expect(writing(page)).toHaveValue("");
  await expect(writing(page)).toBeFocused();

  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.keyboard.type("Ask the carrier.");
  await page.keyboard.press("Control+Enter");
  await expect(
    thread(page).getByRole("listitem").filter({ hasText: "Ask the carrier." }),
  ).toContainText("Internal note");

  await page.keyboard.press("Escape");
  await page.keyboard.press("e");
  await expect(page).toHaveURL(`${base}/conversations/${older.id}`);
  await expect(list(page).getByRole("link", { name: /Maren Voss/ })).toBeHidden();

  const [, , reply, note] = await messages(id);
  const [user] = await queryDatabase<{ id: string }>("SELECT id FROM users WHERE email = $1", [
    email,
  ]);
  const author = { type: "USER", id: user?.id, name: "Ada Lovelace" };
  expect(reply).toMatchObject({
    text: "just a moment: e, j and k are letters here",
    direction: "OUTBOUND",
    author,
  });
  expect(note).toMatchObject({ text: "Ask the carrier.", direction: "INTERNAL", author });
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({
    status: "RESOLVED",
    messageCount: 4,
  });
  const { data: events } = (await call("GET", "/events?type=message.sent")) as unknown as {
    data: ApiObject[];
  };
  expect(events).toHaveLength(1);
  await page.keyboard.press("?");
  await page.getByLabel("Enable single-key shortcuts in this browser").uncheck();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.keyboard.press("e");
  expect(await call("GET", `/conversations/${older.id}`)).toMatchObject({ status: "OPEN" });
});

test("two clicks send once, a lost response does not send twice, and a draft survives an error and a visit to another conversation", async ({
  page,
  request,
}) => {
  const { base, call, messages } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  const other = await call("POST", "/conversations", { channelId: "web", message: "Another" });
  await page.goto(`${base}/conversations/${id}`);

  await writing(page).fill("Once");
  await page.getByRole("button", { name: "Send reply" }).dblclick();
  await expect(thread(page).getByText("Once", { exact: true })).toBeVisible();

  // The request arrives, but its response is lost.
  await page.route("**/conversations/**", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await writing(page).fill("Twice?");
  await page.getByRole("button", { name: "Send reply" }).click();
  await expect(page.getByText("No response came")).toBeVisible();
  await expect(writing(page)).toHaveValue("Twice?");
  await page.unroute("**/conversations/**");
  await page.getByRole("button", { name: "Send reply" }).click();
  await expect(writing(page)).toHaveValue("");
  expect((await messages(id)).map(({ text }) => text)).toEqual(["Hi", "Once", "Twice?"]);

  await writing(page).fill("Not finished");
  await page.goto(`${base}/conversations/${other.id}`);
  await expect(writing(page)).toHaveValue("");
  await page.goto(`${base}/conversations/${id}`);
  await expect(writing(page)).toHaveValue("Not finished");

  // The API closes it in the meantime, and the page does not know yet.
  await stopFollowing(page);
  await call("PATCH", `/conversations/${id}`, { status: "CLOSED" });
  await page.getByRole("button", { name: "Send reply" }).click();
  await expect(
    page.getByText("The conversation is closed, so it accepts no messages."),
  ).toBeVisible();
  await page.unroute("**/health");
  await expect(page.getByText("Closed. To continue, start a new conversation.")).toBeVisible();
});

test("only legal status changes are offered, a race is explained, and fields are edited next to the thread", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  const now = () => call("GET", `/conversations/${id}`);
  await page.goto(`${base}/conversations/${id}`);

  await page.getByRole("button", { name: "Change the status" }).click();
  await page.getByRole("button", { name: "Snooze…" }).click();
  await page.getByRole("button", { name: /In 4 hours/ }).click();
  await expect(page.getByText("opens in 4 hours")).toBeVisible();
  expect(await now()).toMatchObject({ status: "SNOOZED" });

  // Undo brings back the snooze, too.
  const { snoozedUntil } = await now();
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(now).toMatchObject({ status: "SNOOZED", snoozedUntil });
  await page.goto(`${base}/conversations/${id}`);

  await page.getByRole("button", { name: "Change the status" }).click();
  await page.getByRole("button", { name: "Set to pending" }).click();
  await expect.poll(now).toMatchObject({ status: "PENDING", snoozedUntil: null });
  // The page has been refreshed, too.
  await expect(page.getByRole("button", { name: "Resolve", exact: true })).toBeEnabled();

  await stopFollowing(page);
  await call("PATCH", `/conversations/${id}`, { status: "CLOSED" });
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(
    page.getByText(
      "This conversation was set to Closed in the meantime. It cannot change from Closed to Resolved.",
    ),
  ).toBeVisible();
  await page.unroute("**/health");
  await expect(page.getByRole("button", { name: "Change the status" })).toBeHidden();

  const open = await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  await page.goto(`${base}/conversations/${open.id}`);
  await page.getByLabel("Assigned to").selectOption("Ada Lovelace (you)");
  await page.getByRole("region", { name: "Details" }).getByLabel("Priority").selectOption("Urgent");
  await page.getByLabel("Subject", { exact: true }).fill("A lamp");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Tags" }).fill("vip");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Remove the tag vip" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "A lamp" })).toBeVisible();
  await expect
    .poll(() => call("GET", `/conversations/${open.id}`))
    .toMatchObject({
      priority: "URGENT",
      subject: "A lamp",
      tags: ["vip"],
      assigneeId: expect.stringMatching(/^usr_/),
    });

  await page.getByRole("link", { name: "Conversation as JSON" }).click();
  await expect(page.getByRole("dialog")).toContainText('"subject": "A lamp"');
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();

  await page.getByRole("button", { name: "Change the status" }).click();
  await page.getByRole("button", { name: "Close…" }).click();
  await page.getByRole("button", { name: "Close conversation" }).click();
  await expect(page.getByText("Closed. To continue, start a new conversation.")).toBeVisible();
});

test("resolving with the mouse puts the focus on the next conversation's heading, and after the last one on the list's, where it stays after undoing", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const create = (subject: string) =>
    call("POST", "/conversations", { channelId: "web", message: "Hi", subject });
  const lamp = await create("A lamp");
  const chair = await create("A chair");
  await page.goto(`${base}/conversations/${chair.id}`);

  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await expect(page).toHaveURL(`${base}/conversations/${lamp.id}`);
  await expect(page.getByRole("heading", { name: "A lamp" })).toBeFocused();

  await page.keyboard.press("e");
  await expect(page).toHaveURL(`${base}/conversations`);
  await expect(page.getByRole("heading", { name: "Conversations", level: 1 })).toBeFocused();
  await page.getByRole("button", { name: "Undo" }).first().press("Enter");
  await expect(page.getByText("Reopened.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(1);
  await expect(page.getByRole("heading", { name: "Conversations", level: 1 })).toBeFocused();

  // Only then: a conversation that the user opens leaves the focus where it was.
  await page.goto(`${base}/conversations?status=RESOLVED`);
  const row = list(page).getByRole("link", { name: /A chair/ });
  await row.click();
  await expect(page.getByRole("heading", { name: "A chair" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "A chair" })).not.toBeFocused();
});

test("metadata is edited next to the thread, and the list can be filtered by assignee", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const talk = {
    channelId: "web",
    subject: "A lamp",
    message: "Hi",
    metadata: { order: 4411, gift: true },
  };
  const { id } = await call("POST", "/conversations", talk);
  await page.goto(`${base}/conversations/${id}`);

  await expect(page.getByText("order: 4411")).toBeVisible();
  await page.getByRole("button", { name: "Edit metadata" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("test");
  await dialog.getByRole("button", { name: "Remove gift" }).click();
  await dialog.getByLabel("Value 1", { exact: true }).fill("4412");
  await dialog.getByRole("button", { name: "Add a key" }).click();
  await dialog.getByLabel("Key 2", { exact: true }).fill("order");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toContainText("The key “order” is used twice.");
  await dialog.getByLabel("Key 2", { exact: true }).fill("carrier");
  await dialog.getByLabel("Value 2", { exact: true }).fill("DHL");
  // A key added by another user in the meantime is not changed.
  await call("PATCH", `/conversations/${id}`, { metadata: { seen: true } });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('carrier: "DHL"')).toBeVisible();
  expect((await call("GET", `/conversations/${id}`)).metadata).toEqual({
    order: 4412,
    carrier: "DHL",
    seen: true,
  });

  await page.getByLabel("Assigned to").selectOption("Ada Lovelace (you)");
  await expect
    .poll(() => call("GET", `/conversations/${id}`))
    .toMatchObject({ assigneeId: expect.stringMatching(/^usr_/) });
  await page.getByText("Filters", { exact: true }).click();
  await page.getByLabel("Assignee").selectOption("Ada Lovelace (you)");
  await expect(page).toHaveURL(/assigneeId=usr_/);
  await expect(list(page).getByText("A lamp")).toBeVisible();
  await page.getByLabel("Assignee").selectOption("No one");
  await expect(page).toHaveURL(/assigneeId=nobody/);
  await expect(list(page).getByText("No conversations match these filters.")).toBeVisible();
});

test("the URL filters the list, its tabs show counts, and conversations can be started by hand: in test as the customer, in live as a member", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", {
    channelId: "email",
    subject: "By mail",
    tags: ["billing"],
    message: "Hi",
  });
  await call("POST", "/conversations", { channelId: "web", subject: "By web", message: "Hi" });
  await call("PATCH", `/conversations/${id}`, { status: "RESOLVED" });

  await page.goto(`${base}/conversations`);
  await expect(list(page).getByRole("link", { name: "Open 1" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await page.getByRole("link", { name: "Resolved 1" }).click();
  await expect(list(page).getByText("By mail")).toBeVisible();
  await page.getByRole("link", { name: "All" }).click();
  await expect(list(page).getByText("By web")).toBeVisible();
  await page.getByText("Filters", { exact: true }).click();
  await page.getByLabel("Tag").fill("billing");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${base}/conversations?status=all&tag=billing`);
  await expect(list(page).getByText("By mail")).toBeVisible();
  await expect(list(page).getByText("By web")).toBeHidden();
  await page.goto(`${base}/conversations?cursor=nonsense`);
  await expect(page.getByRole("heading", { name: "This link is not valid" })).toBeVisible();

  await page.goto(`${base}/conversations`);
  await page.getByRole("button", { name: "Create conversation" }).click();
  await page.getByLabel("Customer’s external id").fill("u_7");
  await page.getByLabel("What the customer writes").fill("From the dashboard");
  await page.getByRole("dialog").getByRole("button", { name: "Create conversation" }).click();
  await expect(thread(page).getByText("From the dashboard")).toBeVisible();
  await page.goto(`${base.replace("/test", "/live")}/conversations`);
  await expect(page.getByRole("heading", { name: "No live conversations yet" })).toBeVisible();
  await page.getByRole("button", { name: "Create conversation" }).click();
  await page.getByLabel("Your message").fill("Hello from us");
  await page.getByRole("dialog").getByRole("button", { name: "Create conversation" }).click();
  const started = thread(page).getByRole("listitem").filter({ hasText: "Hello from us" });
  await expect(started).toContainText("Ada Lovelace");
});

test("creating a conversation puts the focus on its heading, and a change of its fields leaves it there", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  await page.goto(`${base}/conversations`);
  await list(page).getByRole("button", { name: "Create conversation" }).click();
  const dialog = page.getByRole("dialog", { name: "Create conversation" });
  await dialog.getByLabel("Subject").fill("A lamp");
  await dialog.getByRole("button", { name: "Create conversation" }).click();
  await expect(page).toHaveURL(/\/conversations\/\w+$/);
  await expect(page.getByRole("heading", { name: "A lamp" })).toBeFocused();

  const details = page.getByRole("region", { name: "Details" });
  const priority = details.getByLabel("Priority");
  await priority.focus();
  await priority.selectOption("Urgent");
  await expect(list(page).getByRole("link", { name: /A lamp/ })).toContainText("Urgent");
  await expect(priority).toBeFocused();

  await details.getByRole("textbox", { name: "Tags" }).fill("vip");
  await page.keyboard.press("Enter");
  await details.getByRole("button", { name: "Remove the tag vip" }).click();
  await expect(details.getByRole("button", { name: "Remove the tag vip" })).toHaveCount(0);
  await expect(details.getByRole("group", { name: "Tags" })).toBeFocused();
});

test("a conversation that only has notes says so in the list", async ({ page, request }) => {
  const { base, call } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", subject: "A lamp" });
  await call("POST", "/conversations", { channelId: "web", subject: "A chair" });
  const note = { text: "Call them.", direction: "INTERNAL" };
  await call("POST", `/conversations/${id}/messages`, note);
  await page.goto(`${base}/conversations`);
  const row = (subject: string) => list(page).getByRole("link", { name: new RegExp(subject) });
  await expect(row("A lamp")).toContainText("Only notes so far");
  await expect(row("A chair")).toContainText("No messages yet");
});

test("selected conversations are resolved, assigned and tagged together, each change can be undone, and views show mine and unassigned", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const [one, two, three] = await Promise.all(
    ["One", "Two", "Three"].map((subject) =>
      call("POST", "/conversations", { channelId: "web", subject, message: "Hi" }),
    ),
  );
  if (!one || !two || !three) throw new Error("no conversations");
  await call("PATCH", `/conversations/${two.id}`, { status: "PENDING" });
  const rows = list(page).getByRole("list", { name: "Conversations" }).getByRole("listitem");
  const row = (subject: string) => rows.filter({ hasText: subject });

  await page.goto(`${base}/conversations?status=all`);
  await row("One").getByRole("checkbox").check();
  await row("Two").getByRole("checkbox").check();
  await expect(list(page).getByText("2 selected")).toBeVisible();
  await list(page).getByRole("button", { name: "Resolve" }).click();
  await expect(page.getByText("2 conversations updated.")).toBeVisible();
  await expect(row("Two").getByRole("checkbox")).toBeFocused();
  expect(await call("GET", `/conversations/${two.id}`)).toMatchObject({ status: "RESOLVED" });
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Change undone.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0);
  await expect(row("Two").getByRole("checkbox")).toBeFocused();
  expect(await call("GET", `/conversations/${one.id}`)).toMatchObject({ status: "OPEN" });
  expect(await call("GET", `/conversations/${two.id}`)).toMatchObject({ status: "PENDING" });

  await row("Three").getByRole("checkbox").check();
  await list(page).getByRole("button", { name: "Assign" }).click();
  await list(page).getByRole("button", { name: "Ada Lovelace (you)" }).click();
  await expect(page.getByText("1 conversation updated.")).toBeVisible();
  await row("One").getByRole("checkbox").check();
  await list(page).getByRole("button", { name: "Add a tag" }).click();
  await expect(list(page).getByRole("textbox", { name: "Tag", exact: true })).toBeFocused();
  await page.keyboard.type("billing");
  await list(page).getByRole("button", { name: "Add tag" }).click();
  await expect(row("One").getByText("billing")).toBeVisible();

  await row("One").getByRole("checkbox").check();
  await list(page).getByRole("link", { name: "Mine" }).click();
  await expect(row("One")).toBeHidden();
  await expect(row("Three")).toBeVisible();
  // A change applies to what is shown only.
  await expect(list(page).getByText("1 selected")).toBeHidden();
  await list(page).getByRole("link", { name: "Unassigned" }).click();
  await expect(row("Three")).toBeHidden();
  await expect(row("One")).toBeVisible();
  await expectNoViolations(page, "inbox with views");
});

test("unread conversations are marked until they are opened, filters are saved as a view, and the thread shows its history and who else is there @full", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const [one] = await Promise.all(
    ["One", "Two"].map((subject) =>
      call("POST", "/conversations", { channelId: "web", subject, message: "Hi" }),
    ),
  );
  if (!one) throw new Error("no conversation");
  const rows = list(page).getByRole("list", { name: "Conversations" }).getByRole("listitem");
  await page.goto(`${base}/conversations`);
  await list(page).getByRole("link", { name: "Unread", exact: true }).click();
  await expect(page).toHaveURL(/unread=true/);
  await expect(rows).toHaveCount(2);
  await expect(rows.filter({ hasText: "One" }).getByText("Unread:")).toBeAttached();
  await rows.filter({ hasText: "One" }).getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(one.id));
  await expect(rows).toHaveCount(1);

  await page.getByLabel("Assigned to").selectOption("Ada Lovelace (you)");
  const messages = page.getByRole("log");
  await expect(messages.getByText("Assigned to Ada Lovelace")).toBeVisible();
  await call("PATCH", `/conversations/${one.id}`, { status: "PENDING" });
  await expect(messages.getByText("Open → Pending")).toBeVisible();
  // A colleague has the conversation on their screen.
  await queryDatabase(
    `WITH colleague AS (
      INSERT INTO users (id, email, name, created_at) VALUES ('usr_' || substr($1, 5), $1 || '@example.com', 'Grace Hopper', now()) RETURNING id
    )
    INSERT INTO conversation_visits (tenant_id, environment, conversation_id, user_id, seen_sequence, present_at)
    SELECT c.tenant_id, c.environment, c.id, colleague.id, 1, now() + interval '1 hour' FROM conversations c, colleague WHERE c.id = $1`,
    [one.id],
  );
  await expect(page.getByText("Grace Hopper is viewing this conversation, too.")).toBeVisible();

  await page.goto(`${base}/conversations?status=PENDING&sort=priority`);
  await list(page).getByRole("button", { name: "Saved views" }).click();
  const dialog = page.getByRole("dialog", { name: "Saved views" });
  await dialog.getByLabel("Name").fill("Waiting");
  await dialog.getByLabel("Share with all members").check();
  await dialog.getByRole("button", { name: "Save view" }).click();
  await expect(dialog).toBeHidden();
  await list(page).getByRole("link", { name: "Everyone" }).click();
  await list(page).getByRole("link", { name: "Waiting" }).click();
  await expect(page).toHaveURL(/status=PENDING&sort=priority/);
  await expect(list(page).getByRole("link", { name: "Waiting" })).toHaveAttribute(
    "aria-current",
    "page",
  );
  await list(page).getByRole("button", { name: "Saved views" }).click();
  await expectNoViolations(page, "saved views");
  await dialog.getByRole("button", { name: "Delete view Waiting" }).click();
  await dialog.getByRole("button", { name: "Keep" }).click();
  await expect(dialog.getByRole("button", { name: "Delete view Waiting" })).toBeFocused();
  await dialog.getByRole("button", { name: "Delete view Waiting" }).click();
  await dialog.getByRole("button", { name: "Delete for everyone" }).click();
  await expect(list(page).getByRole("link", { name: "Waiting" })).toBeHidden();
});

test("the tabs of all statuses and their counts are visible, however many conversations there are, on screens of every width", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const name = "customer-with-a-really-long-name@a-very-long-subdomain.of-a-company.example.com";
  const { id } = await call("POST", "/conversations", {
    channelId: "web",
    message: "x".repeat(400),
    customer: { externalId: "u".repeat(120), name, email: name },
  });
  await queryDatabase(
    `INSERT INTO conversations (tenant_id, environment, id, status, channel_id, tags, created_at, updated_at)
    SELECT id, 'test', 'cnv_01' || lpad(n::text, 24, '0'), (ARRAY['OPEN', 'PENDING', 'SNOOZED', 'RESOLVED', 'CLOSED'])[n % 5 + 1]::"ConversationStatus",
      'web', '{}', now(), now()
    FROM tenants, generate_series(1, 5_500) AS n WHERE slug = $1`,
    [base.split("/")[1]],
  );
  await page.goto(`${base}/conversations`);
  const nav = page.getByRole("navigation", { name: "Conversations by status" });
  await expect(nav.getByRole("link")).toHaveText([
    "Open 999+",
    "Pending 999+",
    "Snoozed 999+",
    "Resolved 999+",
    "Closed 999+",
    "All 999+",
  ]);
  for (const width of [1536, 1280, 1024, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const hidden = await nav.evaluate((element) => element.scrollWidth - element.clientWidth);
    expect([width, hidden]).toEqual([width, 0]);
  }

  // The page of the customer, whose conversation has no subject but its long message.
  const { customerId } = await call("GET", `/conversations/${id}`);
  await page.goto(`${base}/customers/${customerId}`);
  for (const width of [1280, 1024, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    await expectNoOverflow(page, `customer, ${width} px`);
  }
});

test("rows are 72 pixels high, URLs in messages are links, and a reply shows where it was delivered @full", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  await call("POST", "/webhooks", {
    url: "http://127.0.0.1:9/replies",
    events: ["message.sent"],
  });
  const { id } = await call("POST", "/conversations", {
    channelId: "web",
    subject: "A long story",
    message: `See https://example.com/orders?id=4411. ${"And more of it. ".repeat(20)}`,
    tags: ["one", "two", "three", "four"],
    priority: "URGENT",
    customer: { externalId: "u_1", name: "\u0645\u0631\u064a\u0645 ".repeat(15).trim() },
  });
  await page.goto(`${base}/conversations/${id}`);
  const row = list(page).getByRole("list", { name: "Conversations" }).getByRole("listitem");
  expect((await row.boundingBox())?.height).toBeLessThanOrEqual(73);
  await expect(row).toContainText("+2");
  await expect(row.locator('[dir="auto"]').first()).toHaveText(/^\u0645\u0631/);
  await expect(
    thread(page).getByRole("link", { name: "https://example.com/orders?id=4411" }),
  ).toHaveAttribute("rel", /noopener/);
  await expect(thread(page).getByText("Today", { exact: true })).toBeVisible();

  await writing(page).fill("On its way");
  await page.getByRole("button", { name: "Send reply" }).click();
  const deliveries = thread(page).getByRole("list", { name: "Deliveries" });
  await expect(deliveries).toContainText("127.0.0.1:9");
  await deliveries.getByRole("link").click();
  await expect(page.getByRole("dialog")).toContainText("message.sent");
});

test("a link to a message scrolls to it, however long the conversation is @full", async ({
  page,
  request,
}) => {
  const { base, call, messages } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", message: "Message 1" });
  const [first] = await messages(id);
  await queryDatabase(
    `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
     SELECT tenant_id, environment, left(id, 20) || lpad(n::text, 10, '0'), conversation_id, n, direction, author_type, 'Message ' || n, now()
     FROM messages, generate_series(2, 200) n WHERE id = $1`,
    [first?.id],
  );
  await queryDatabase("UPDATE conversations SET message_count = 200 WHERE id = $1", [id]);

  await page.goto(`${base}/conversations/${id}`);
  await expect(thread(page).getByText("Message 200", { exact: true })).toBeInViewport();
  await expect(thread(page).getByText("Message 1", { exact: true })).toBeHidden();
  await page.goto(`${base}/go/${first?.id}`);
  await expect(thread(page).getByText("Message 1", { exact: true })).toBeInViewport();
  await page.getByRole("link", { name: "Newest messages" }).click();
  await expect(thread(page).getByText("Message 200", { exact: true })).toBeInViewport();
  await page.getByRole("link", { name: "Earlier messages" }).click();
  await expect(thread(page).getByText("Message 126", { exact: true })).toBeVisible();
});

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: "application/octet-stream",
  buffer: Buffer.from(content),
});

test("files are attached with the picker, by dropping and by pasting, and the thread shows images and downloads @full", async ({
  page,
  request,
}) => {
  const { base, call, messages } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  await page.goto(`${base}/conversations/${id}`);
  const form = page.getByRole("form", { name: "Write a message" });
  const tray = form.getByRole("list", { name: "Files of this message" });
  const send = page.getByRole("button", { name: "Send reply" });
  const choose = (...files: ReturnType<typeof file>[]) =>
    page.getByLabel("Files to attach").setInputFiles(files);

  // An upload that breaks off can be repeated, and until then the message is not sent without it.
  await page.route("**/api/dashboard/**/files", (route) => route.abort("connectionreset"));
  await choose(file("label.pdf", pdfOf(["Label"])));
  await expect(tray).toContainText("The connection was lost. Try again.");
  await writing(page).fill("Here is the label.");
  await expect(send).toBeDisabled();
  await page.unroute("**/api/dashboard/**/files");
  await tray.getByRole("button", { name: "Upload label.pdf again" }).click();
  await expect(send).toBeEnabled();

  await choose(file("huge.bin", Buffer.alloc(20 * 1_024 ** 2 + 1)));
  await expect(tray).toContainText("A file can be at most 20 MiB");
  await expect(send).toBeDisabled();
  await expectNoViolations(page, "files in the composer");
  await tray.getByRole("button", { name: "Remove huge.bin" }).click();
  await send.click();
  await expect(thread(page).getByText("Here is the label.")).toBeVisible();
  await expect(tray).toBeHidden();

  // Only files, and no text: one dropped, one pasted.
  const given = { bytes: [...png], name: "photo.png" };
  const transfer = await page.evaluateHandle(({ bytes, name }) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], name, { type: "image/png" }));
    return data;
  }, given);
  await form.dispatchEvent("dragenter", { dataTransfer: transfer });
  await form.dispatchEvent("drop", { dataTransfer: transfer });
  await expect(tray).toContainText("photo.png");
  await writing(page).evaluate((area, { bytes }) => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(bytes)], "pasted.png", { type: "image/png" }));
    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, given);
  await expect(tray.getByRole("listitem")).toHaveCount(2);
  const widths = () =>
    tray
      .locator("img")
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth > 0));
  await expect.poll(widths).toEqual([true, true]);
  await expect(send).toBeEnabled();
  await writing(page).press("Control+Enter");
  const image = thread(page).getByRole("img", { name: "photo.png" });
  await expect
    .poll(() => image.evaluate((shown: HTMLImageElement) => shown.naturalWidth))
    .toBeGreaterThan(0);
  await expect(thread(page).getByRole("img")).toHaveCount(2);
  await expect(list(page).getByText("photo.png, pasted.png")).toBeVisible();
  const [, first, second] = await messages(id);
  expect([first?.text, second?.text]).toEqual(["Here is the label.", ""]);
  expect(second?.attachments).toMatchObject([
    { name: "photo.png", contentType: "image/png" },
    { name: "pasted.png" },
  ]);

  // A refresh brings new links, and loads no image again.
  const source = await image.getAttribute("src");
  await call("POST", `/conversations/${id}/messages`, { text: "Thank you" });
  await expect(thread(page).getByText("Thank you")).toBeVisible();
  expect(await image.getAttribute("src")).toBe(source);

  const downloading = page.waitForEvent("download");
  await thread(page).getByRole("link", { name: "Download label.pdf" }).click();
  expect((await downloading).suggestedFilename()).toBe("label.pdf");
  const [{ url }] = (first as ApiObject).attachments as [{ url: string }];
  const { pathname, search } = new URL(url);
  const response = await request.get(`${pathname}${search}`);
  expect(response.headers()).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename="label.pdf"; filename*=UTF-8''label.pdf`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  });
  const changed = await request.get(`${pathname}${search.slice(0, -2)}`);
  expect([changed.status(), await changed.json()]).toEqual([
    403,
    expect.objectContaining({ title: "The link is not valid" }),
  ]);

  // An image that cannot be loaded is still a file.
  await page.route("**/files/ten_*/**", (route) => route.abort());
  await page.reload();
  await expect(thread(page).getByText("The preview could not be loaded").first()).toBeVisible();
  await page.unroute("**/files/ten_*/**");
  await page.reload();
  await expect(image).toBeVisible();
  await expectNoViolations(page, "attachments in the thread");
  await expectNoOverflow(page, "attachments in the thread");
});

test("a viewer can read, sees why there is no composer, and cannot change anything @full", async ({
  page,
  browser,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", {
    channelId: "web",
    subject: "To read",
    message: "Hi",
    customer: { externalId: "u_1" },
  });
  const viewer = await (await newVisitor(browser)).newPage();
  await addMember(viewer, base, "VIEWER");

  await viewer.goto(`${base}/conversations/${id}`);
  await expect(
    viewer.getByText("Only owners, admins and members may write in conversations."),
  ).toBeVisible();
  await expect(
    viewer.getByText("Only owners, admins and members may change conversations."),
  ).toBeVisible();
  await expect(viewer.getByRole("form", { name: "Write a message" })).toBeHidden();
  const uploaded = await viewer.request.post(`/api/dashboard${base}/files`, {
    headers: { origin: new URL(viewer.url()).origin },
    multipart: { file: file("a.txt", "Hello") },
  });
  expect([uploaded.status(), (await uploaded.json()).detail]).toEqual([
    403,
    "Only owners, admins and members may upload files.",
  ]);
  await expect(viewer.getByRole("button", { name: "Resolve" })).toBeHidden();
  await viewer.goto(`${base}/customers`);
  await expect(
    viewer.getByText("Only owners, admins and members may create customers."),
  ).toBeVisible();
  await viewer.goto(`${base}/settings`);
  const tabs = viewer.getByRole("navigation", { name: "Settings" }).getByRole("link");
  await expect(tabs).toHaveText(["General", "Members", "Retention", "Notifications", "Profile"]);
  await viewer.keyboard.press("Control+k");
  await viewer.getByPlaceholder("Page, action, name, URL or ID").fill("re");
  await expect(viewer.getByRole("option", { name: "Retention" })).toBeVisible();
  await expect(viewer.getByRole("option", { name: /Access review|Create/ })).toHaveCount(0);

  // A page that was open before the role changed.
  await page.goto(`${base}/conversations/${id}`);
  await writing(page).fill("Too late");
  await stopFollowing(page);
  await queryDatabase(
    "UPDATE memberships SET role = 'VIEWER' WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1)",
    [base.split("/")[1]],
  );
  await page.getByRole("button", { name: "Send reply" }).click();
  await expect(page.getByText("Only owners, admins and members may post messages.")).toBeVisible();
  await expect(writing(page)).toHaveValue("Too late");
  expect(await call("GET", `/conversations/${id}`)).toMatchObject({ messageCount: 1 });
  await viewer.context().close();
});

test("customers are created, searched and edited with their metadata, and an existing one is linked @full", async ({
  page,
  request,
}) => {
  const { base, call } = await newInbox(page, request);
  await page.goto(`${base}/customers`);
  await expect(page.getByRole("heading", { name: "No test customers yet" })).toBeVisible();
  await page.getByRole("button", { name: "Create customer" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Phone").fill("030 123");
  await dialog.getByRole("button", { name: "Create customer" }).click();
  await expect(
    dialog.getByText("Must be a phone number in E.164 format, for example +4930123456"),
  ).toBeVisible();
  await expect(dialog.getByLabel("Phone")).toHaveValue("030 123");
  await dialog.getByLabel("Phone").fill("+4930123456");
  await dialog.getByLabel("Name").fill("Tomás Herrera");
  await dialog.getByLabel("External ID").fill("u_1");
  await dialog.getByRole("button", { name: "Create customer" }).click();
  await expect(page).toHaveURL(/\/customers\/cus_\w+$/);
  await expect(page.getByRole("heading", { name: "Tomás Herrera" })).toBeVisible();
  const id = page.url().split("/").at(-1) ?? "";

  await page.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Email").fill("tomas@herrera.mx");
  await dialog.getByRole("button", { name: "Add a key" }).click();
  await dialog.getByLabel("Key 1", { exact: true }).fill("seats");
  await dialog.getByLabel("Type of value 1").selectOption("Number");
  await dialog.getByLabel("Value 1", { exact: true }).fill("12");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("seats: 12")).toBeVisible();
  expect(await call("GET", `/customers/${id}`)).toMatchObject({
    name: "Tomás Herrera",
    email: "tomas@herrera.mx",
    phone: "+4930123456",
    metadata: { seats: 12 },
  });
  await page.getByText("Raw JSON").click();
  await expect(page.getByLabel("the customer as JSON", { exact: true })).toContainText(
    '"seats": 12',
  );

  await page.goto(`${base}/customers`);
  await page.getByRole("button", { name: "Create customer" }).click();
  await dialog.getByLabel("External ID").fill("u_1");
  await dialog.getByRole("button", { name: "Create customer" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    'A customer with the externalId "u_1" already exists.',
  );
  await dialog.getByRole("link", { name: "Open it" }).click();
  await expect(page).toHaveURL(`${base}/customers/${id}`);

  await call("POST", "/customers", { name: "Somebody else" });
  await page.goto(`${base}/customers`);
  await page.getByRole("searchbox", { name: "Search" }).fill("tomas +49");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${base}/customers?q=tomas+%2B49`);
  await expect(page.getByRole("row").filter({ hasText: "Tomás Herrera" })).toBeVisible();
  await expect(page.getByText("Somebody else")).toBeHidden();

  await call("POST", "/conversations", {
    channelId: "web",
    subject: "His lamp",
    message: "Hi",
    customerId: id,
  });
  await page.goto(`${base}/customers/${id}`);
  await page.getByRole("link", { name: "View in the inbox" }).click();
  await expect(list(page).getByText("His lamp")).toBeVisible();
});

for (const { name, colorScheme, width } of [
  { name: "light", colorScheme: "light", width: 1280 },
] as const) {
  test(`axe reports no violations in the inbox and its customers, ${name}`, {
    tag: "@full",
  }, async ({ page, request }) => {
    const { base, call } = await newInbox(page, request);
    const customer = {
      externalId: "u_1",
      name: "Maren Voss",
      email: "maren@voss-optik.de",
      metadata: { plan: "gold" },
    };
    const talk = {
      channelId: "web",
      subject: "A lamp",
      priority: "URGENT",
      tags: ["vip"],
      message: "Hi",
      customer,
    };
    const { id, customerId } = await call("POST", "/conversations", talk);
    await call("POST", `/conversations/${id}/messages`, {
      text: "Hello",
      author: { type: "USER", name: "Ines" },
    });
    await call("POST", `/conversations/${id}/messages`, { text: "Careful", direction: "INTERNAL" });
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 844 });
    const findings = watch(page);

    const open = async (path: string) => {
      await page.goto(`${base}${path}`);
      await expect(page.locator("h1")).toBeAttached();
    };
    const look = async (what: string) => {
      await expectNoOverflow(page, `${name}, ${what}`);
      await expectNoViolations(page, `${name}, ${what}`);
    };
    for (const path of [
      "/conversations",
      `/conversations/${id}`,
      `/conversations/${id}?pane=details`,
      `/conversations/${id}?inspect=${id}`,
      "/customers",
      `/customers/${customerId}`,
    ]) {
      await open(path);
      await look(path.replaceAll(/[a-z]{3}_\w{26}/g, "…"));
    }
    await page.getByRole("button", { name: "Edit" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look("the dialog of a customer");
    await open(`/conversations/${id}`);
    await page.keyboard.press("n");
    await expect(writing(page)).toBeFocused();
    await look("a note");
    await page.getByRole("button", { name: "Change the status" }).click();
    await page.getByRole("button", { name: "Snooze…" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await look("the dialog for snoozing");
    expect(findings).toEqual([]);
  });
}

test("@ in a note suggests members by name and address, with the keyboard and the mouse", async ({
  page,
  request,
}) => {
  const { base, call, messages } = await newInbox(page, request);
  const { id } = await call("POST", "/conversations", { channelId: "web", message: "Hi" });
  const add = `WITH made AS (
      INSERT INTO users (id, email, name, created_at) VALUES ($2, $3, $4, now()) RETURNING id)
    INSERT INTO memberships (tenant_id, user_id, role, created_at)
    SELECT t.id, made.id, 'MEMBER', now() FROM tenants t, made WHERE t.slug = $1`;
  const slug = base.split("/")[1] ?? "";
  for (const [number, name] of ["Grace Hopper", "Grace Kelly", "Grace Kelly"].entries())
    await queryDatabase(add, [slug, `usr_${slug}_${number}`, `g${number}@${slug}.test`, name]);
  let loads = 0;
  page.on("request", (sent) => {
    if (sent.method() === "POST" && sent.url().includes("/conversations/")) loads += 1;
  });
  await page.goto(`${base}/conversations/${id}`);
  const members = page.getByRole("listbox", { name: "Members to mention" });
  const options = members.getByRole("option");

  // Not in a reply, which goes to the customer.
  await writing(page).pressSequentially("@gr");
  await expect(members).toBeHidden();
  await writing(page).fill("");
  await page.getByRole("button", { name: "Note" }).click();
  await writing(page).pressSequentially("Please ask @gr");
  await expect(options).toHaveCount(3);
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await expectNoViolations(page, "suggested members");
  await page.keyboard.press("Escape");
  await expect(members).toBeHidden();
  await expect(writing(page)).toBeFocused();

  await writing(page).pressSequentially("a");
  await expect(options).toHaveCount(3);
  // A choice would replace other text, as the caret has left the mention.
  await page.keyboard.press("Home");
  await expect(members).toBeHidden();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await expect(options).toHaveCount(3);
  await page.keyboard.press("ArrowUp");
  await expect(options.last()).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowDown");
  const active = await writing(page).getAttribute("aria-activedescendant");
  expect(await options.first().getAttribute("id")).toBe(active);
  await page.keyboard.press("Enter");
  await expect(writing(page)).toHaveValue("Please ask @Grace Hopper ");
  await expect(members).toBeHidden();

  // Two members have the same name, so the address says which one.
  await writing(page).pressSequentially("and @g2");
  await options.filter({ hasText: `g2@${slug}.test` }).click();
  await expect(writing(page)).toHaveValue(`Please ask @Grace Hopper and @g2@${slug}.test `);
  await expect(writing(page)).toBeFocused();
  // Members were loaded once.
  expect(loads).toBe(1);
  await page.keyboard.press("Control+Enter");
  await expect(thread(page).getByText(/Please ask @Grace Hopper/)).toBeVisible();
  expect(await messages(id)).toHaveLength(2);
  const notified = await queryDatabase(
    "SELECT user_id FROM notifications WHERE conversation_id = $1 ORDER BY 1",
    [id],
  );
  expect(notified).toEqual([0, 2].map((number) => ({ user_id: `usr_${slug}_${number}` })));
});
