import type { APIRequestContext, Locator, Page } from "@playwright/test";
import Stripe from "stripe";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver";
import { queryDatabase } from "./database";
import { newTestKey, password, signUp } from "./sign-up";
import { copy, expect, settled, test } from "./test";
import { expectNoOverflow, expectNoViolations } from "./watch";

let receiver: Receiver;
test.beforeEach(async () => {
  receiver = await startReceiver();
});
test.afterEach(() => receiver.close());

const respondWith = (status: number, body = "") => {
  receiver.respond = (response) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);
};

/** A new user with a key and a function that raises one event at a time. */
async function begin(page: Page, request: APIRequestContext) {
  const { email, tenantSlug } = await signUp(page);
  const key = await newTestKey(page);

  const call = async (path: string, data: object) => {
    const response = await request.post(`/v1/public${path}`, {
      headers: { authorization: `Bearer ${key}` },
      data,
    });
    expect(response.ok(), await response.text()).toBe(true);
    return response.json();
  };
  const webhooks = `/${tenantSlug}/test/webhooks`;
  /** Only `customer.created`. */
  const raise = () => call("/customers", { name: "Grace Hopper" });
  /** Created through the API, then opened in the browser. */
  const newWebhook = async () => {
    const { id, secret } = await call("/webhooks", {
      url: `${receiver.url}/hook`,
      events: ["customer.*"],
    });
    await page.goto(`${webhooks}/${id}`);
    return { id, secret };
  };
  return { email, webhooks, raise, newWebhook };
}

/** Whether a receiver with this secret accepts the delivery, according to Stripe's verifier. */
function accepts(secret: string, { body, headers }: ReceivedRequest): boolean {
  try {
    new Stripe("sk_test_unused").webhooks.constructEvent(
      body,
      String(headers["x-service-signature"]),
      secret,
    );
    return true;
  } catch {
    return false;
  }
}

const received = async (count: number) => {
  await expect.poll(() => receiver.requests.length).toBe(count);
  return receiver.requests.at(-1) as ReceivedRequest;
};

const setFailures = (id: string, count: number) =>
  queryDatabase("UPDATE webhooks SET consecutive_failures = $2, probe_after = NULL WHERE id = $1", [
    id,
    count,
  ]);

const drawer = (page: Page) => page.getByRole("dialog");
const deliveryRow = (page: Page, text: string | RegExp) =>
  page.getByRole("row").filter({ hasText: text });

test("a webhook is created and tested, fails, shows why, and gets the event again", async ({
  page,
  request,
}) => {
  const { webhooks, raise } = await begin(page, request);
  await page.goto(webhooks);
  await expect(page.getByText("No test webhooks yet")).toBeVisible();
  await page.getByRole("link", { name: "Create webhook" }).click();

  await page.getByLabel("URL", { exact: true }).fill("ftp://example.com/hook");
  await page.getByLabel("Description").fill("Order system");
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("Must have at least one event")).toBeVisible();
  await page.getByRole("checkbox", { name: "customer.*" }).check();
  await expect(page.getByRole("checkbox", { name: /^customer\.updated/ })).toBeChecked();
  await page.getByRole("button", { name: "Example of customer.created" }).click();
  await expect(page.getByRole("region", { name: "example of customer.created" })).toContainText(
    '"externalId"',
  );
  await page.getByRole("button", { name: "Create test webhook" }).click();
  await expect(page.getByText("Must start with https:// or http://")).toBeVisible();
  await expect(page.getByLabel("URL", { exact: true })).toBeFocused();
  await expect(page.getByLabel("Description")).toHaveValue("Order system");

  await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/hook`);
  await page.getByRole("button", { name: "Create test webhook" }).click();
  const secret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await expect(page.getByRole("dialog")).toContainText("verify.ts");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("You haven’t copied the signing secret yet")).toBeVisible();
  expect(await copy(page, "Copy the signing secret")).toBe(secret);
  await page.getByRole("button", { name: "Done" }).click();

  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${receiver.url}/hook`);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  await page.getByRole("button", { name: "Send test event" }).click();
  const result = page.getByRole("status").filter({ hasText: "Test event" });
  await expect(result).toContainText("Test event delivered");
  await expect(result).toContainText("200 OK");
  const testEvent = await received(1);
  expect(JSON.parse(testEvent.body)).toMatchObject({
    type: "webhook.test",
    data: { object: { description: "Order system" } },
  });
  expect(accepts(secret, testEvent)).toBe(true);

  respondWith(500, '{"error":"no such table: customers"}');
  await raise();
  await expect(deliveryRow(page, "customer.created")).toContainText("500 Internal Server Error");
  await deliveryRow(page, "customer.created").getByRole("link").click();
  await expect(page).toHaveURL(/delivery=dlv_/);
  await expect(drawer(page)).toContainText("Attempt 1");
  await expect(drawer(page).getByRole("region", { name: "response of attempt 1" })).toContainText(
    "no such table: customers",
  );
  await expect(drawer(page)).toContainText(/Attempt 2 in \d+ [mh]/);
  await expect(drawer(page).getByRole("region", { name: "request body" })).toContainText(
    '"name": "Grace Hopper"',
  );
  await drawer(page).getByText("Response headers", { exact: true }).click();
  await expect(
    drawer(page).getByText("Those of successful responses are not stored"),
  ).toBeVisible();
  await expect(drawer(page).getByText(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), .* GMT$/)).toBeVisible();
  await drawer(page).getByText("Request headers").click();
  const sentAt = String((await received(2)).headers["x-service-signature"]).split(",")[0];
  await expect(drawer(page)).toContainText(`x-service-signature: ${sentAt},v1=…`);
  const curl = await copy(page, "Copy as curl");
  expect(curl).toContain(`curl -X POST '${receiver.url}/hook'`);
  expect(curl).toContain(receiver.requests[1]?.body);

  respondWith(200);
  await drawer(page).getByRole("button", { name: "Resend" }).click();
  await expect(drawer(page).getByRole("status")).toHaveText("Delivered");
  await expect(drawer(page).getByRole("listitem").first()).toContainText(
    /Attempt 2\s*200 OK\s*Resend/,
  );
  const again = await received(3);
  expect(again.headers["x-service-event-id"]).toBe(
    receiver.requests[1]?.headers["x-service-event-id"],
  );
  expect(again.body).toBe(receiver.requests[1]?.body);

  await page.keyboard.press("ArrowRight");
  await expect(drawer(page).getByRole("heading", { level: 2 })).toHaveText("webhook.test");
  await expect(drawer(page).getByRole("button", { name: /Older delivery/ })).toHaveAttribute(
    "aria-disabled",
    "true",
  );
  await page.keyboard.press("ArrowLeft");
  await expect(drawer(page).getByRole("heading", { level: 2 })).toHaveText("customer.created");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/delivery=/);

  await page.getByLabel("Event", { exact: true }).selectOption("webhook.test");
  await expect(page).toHaveURL(/eventType=webhook.test/);
  await expect(deliveryRow(page, "customer.created")).toHaveCount(0);
  await page.getByLabel("Last response").selectOption("5xx");
  await expect(page.getByText("No deliveries match these filters")).toBeVisible();
});

test("during a rotation both secrets sign, a second rotation is rejected, and the old secret can be expired", {
  tag: "@full",
}, async ({ page, request }) => {
  const { raise, newWebhook } = await begin(page, request);
  const { secret: oldSecret } = await newWebhook();
  const otherTab = await page.context().newPage();
  await otherTab.goto(page.url());
  await otherTab.getByRole("button", { name: "Rotate secret" }).click();

  await page.getByRole("button", { name: "Rotate secret" }).click();
  await drawer(page).getByRole("button", { name: "Rotate secret" }).click();
  const newSecret = await page.getByLabel("Signing secret", { exact: true }).inputValue();
  await page.getByLabel("I have saved the signing secret").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(
    page.getByText(/also signs, for another 2[34] h|also signs, for another 1 d/),
  ).toBeVisible();

  await raise();
  const during = await received(1);
  expect(during.headers["x-service-signature"]).toMatch(
    /^t=\d{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/,
  );
  expect([accepts(oldSecret, during), accepts(newSecret, during)]).toEqual([true, true]);

  await otherTab
    .getByRole("dialog")
    .getByRole("button", { name: /^Rotate/ })
    .click();
  await expect(
    otherTab.getByRole("alert").filter({ hasText: "The previous secret is valid until" }),
  ).toBeVisible();
  await otherTab.close();
  await page.getByRole("button", { name: "Rotate secret" }).click();
  await expect(drawer(page).getByLabel("For 24 hours")).toBeDisabled();
  await expect(drawer(page)).toContainText("Two secrets are already active");
  await drawer(page).getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Expire old secret" }).click();
  await page.getByRole("button", { name: "Expire secret" }).click();
  await expect(page.getByText("Signs every delivery. It was shown once")).toBeVisible();
  await raise();
  const afterwards = await received(2);
  expect([accepts(oldSecret, afterwards), accepts(newSecret, afterwards)]).toEqual([false, true]);
});

test("the hundredth failure disables a webhook, and held deliveries arrive after it is enabled again", {
  tag: "@full",
}, async ({ page, request }) => {
  const { raise, newWebhook } = await begin(page, request);
  const { id } = await newWebhook();
  respondWith(503);

  await setFailures(id, 50);
  await expect(page.getByText("50 attempts failed in a row")).toBeVisible();
  await setFailures(id, 99);
  await expect(page.getByText("99/100")).toBeVisible();
  await raise();
  await expect(page.getByText("This webhook is disabled")).toBeVisible();
  await expect(page.getByText("After 100 failures in a row")).toBeVisible();
  await raise();
  await raise();
  await expect(page.getByText("It holds 3 deliveries")).toBeVisible();
  expect(receiver.requests).toHaveLength(1);

  respondWith(200);
  await page.getByRole("button", { name: "Enable again" }).click();
  const question = page.getByRole("alertdialog");
  await expect(question).toContainText("3 deliveries are held");
  await expect(question.getByLabel("Send deliveries")).toBeChecked();
  await question.getByRole("button", { name: "Enable webhook" }).click();
  await expect(page.getByText("This webhook is disabled")).toBeHidden();
  await received(4);
  await expect(page.getByText("0/100")).toBeVisible();
  const events = receiver.requests.map(({ headers }) => headers["x-service-event-id"]);
  expect(new Set(events).size).toBe(3);
  await expect(page.getByRole("row").filter({ hasText: "Delivered" })).toHaveCount(3);
});

test("deliveries held while a user had disabled the webhook can stay held, and be discarded @full", async ({
  page,
  request,
}) => {
  const { webhooks, raise, newWebhook } = await begin(page, request);
  await newWebhook();
  await page.getByRole("button", { name: "Disable…" }).click();
  await page.getByRole("button", { name: "Disable webhook" }).click();
  await expect(page.getByText("This webhook is disabled")).toBeVisible();
  await raise();
  await expect(page.getByText("It holds 1 delivery")).toBeVisible();

  await page.getByRole("button", { name: "Enable again" }).click();
  await page.getByLabel("Decide later").check();
  await page.getByRole("button", { name: "Enable webhook" }).click();
  await expect(page.getByText("1 delivery is held")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("row").filter({ hasText: "customer.created" })).toContainText(
    "Discarded",
  );
  expect(receiver.requests).toEqual([]);

  await page.getByRole("button", { name: "Delete…" }).click();
  await expect(page.getByRole("alertdialog")).toContainText(receiver.url);
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page).toHaveURL(webhooks);
  await expect(page.getByText("No test webhooks yet")).toBeVisible();
});

test("failed deliveries are counted first, then resent @full", async ({ page, request }) => {
  const { raise, newWebhook } = await begin(page, request);
  const { id } = await newWebhook();
  respondWith(500);
  await raise();
  await raise();
  await received(2);
  await expect.poll(() => tried(id)).toBe(2);
  await queryDatabase(
    "UPDATE deliveries SET status = 'FAILED', next_attempt_at = NULL WHERE webhook_id = $1",
    [id],
  );

  respondWith(200);
  await page.getByRole("button", { name: "Recover…" }).click();
  await drawer(page).getByRole("button", { name: "Count deliveries" }).click();
  await expect(drawer(page)).toContainText("2 deliveries failed or are held since then.");
  expect(receiver.requests).toHaveLength(2);
  await drawer(page).getByRole("button", { name: "Send 2 again" }).click();
  await received(4);
  await expect(page.getByRole("row").filter({ hasText: "Delivered" })).toHaveCount(2);
});

test("events are counted first, then replayed, also those from before the webhook @full", async ({
  page,
  request,
}) => {
  const { raise, newWebhook } = await begin(page, request);
  await raise();
  const { id } = await newWebhook();
  await raise();
  await received(1);
  await expect.poll(() => tried(id)).toBe(1);

  await page.getByRole("button", { name: "Replay…" }).click();
  await drawer(page).getByLabel("Which events").selectOption("Events never sent to it");
  await drawer(page).getByRole("button", { name: "Count events" }).click();
  await expect(drawer(page)).toContainText("1 event matches.");
  await drawer(page).getByLabel("Which events").selectOption("Every event");
  await drawer(page).getByRole("button", { name: "Count events" }).click();
  await expect(drawer(page)).toContainText("2 events match.");
  expect(receiver.requests).toHaveLength(1);
  await drawer(page).getByRole("button", { name: "Replay 2 events" }).click();
  await received(3);
  await expect(page.getByRole("row").filter({ hasText: "Delivered" })).toHaveCount(2);
});

test("a test sends the example of the chosen event type, and the delivery shows it @full", async ({
  page,
  request,
}) => {
  const { newWebhook } = await begin(page, request);
  const { secret } = await newWebhook();
  await page.getByRole("button", { name: "Choose the type of the test event" }).click();
  await page.getByRole("button", { name: "message.received" }).click();
  const result = page.getByRole("status").filter({ hasText: "Test event" });
  await expect(result).toContainText("Test event delivered");
  const sent = await received(1);
  expect(sent.headers["x-service-event-type"]).toBe("message.received");
  expect(accepts(secret, sent)).toBe(true);

  await page.getByRole("link", { name: "Request and response" }).click();
  await expect(drawer(page)).toContainText("message.received (test)");
  await expect(drawer(page).getByRole("region", { name: "request body" })).toContainText(
    '"type": "message.received"',
  );
});

test("a test event that is not sent in time says that deliveries are delayed, and then how it ended @full", async ({
  page,
  request,
}) => {
  const { newWebhook } = await begin(page, request);
  const { id } = await newWebhook();
  const letPass = (from: string) =>
    queryDatabase(
      `UPDATE webhooks SET max_per_second = 1, next_paced_at = now() + $2::interval WHERE id = $1`,
      [id, from],
    );
  await letPass("1 hour");
  await page.getByRole("button", { name: "Send test event" }).click();
  const result = page.getByRole("status").filter({ hasText: "est event" });
  await expect(result).toContainText("Sending test event…");
  await expect(result).toContainText("Deliveries are delayed.");
  await letPass("0");
  await expect(result).toContainText("Test event delivered");
  await expect(result).not.toContainText("delayed");
});

async function tried(webhookId: string): Promise<number> {
  const statement =
    "SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND attempt_count = 1";
  const [row] = await queryDatabase<{ count: number }>(statement, [webhookId]);
  return row?.count ?? 0;
}

/** Presses Tab until the element has the focus, as a user without a mouse does. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 120; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${target}`);
}

async function press(page: Page, target: Locator, key = "Enter"): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

test("a webhook is created, tested and gets a new secret with the keyboard only @full", async ({
  page,
  request,
}) => {
  const { webhooks } = await begin(page, request);
  await page.goto(webhooks);
  await press(page, page.getByRole("link", { name: "Create webhook" }));
  await tabTo(page, page.getByLabel("URL", { exact: true }));
  await page.keyboard.type(`${receiver.url}/hook`);
  await press(page, page.getByRole("checkbox", { name: /All events/ }), "Space");
  await page.keyboard.press("Enter");
  // The whole secret is selected and has the focus, so the copy shortcut copies it.
  await expect(page.getByLabel("Signing secret", { exact: true })).toBeFocused();
  await page.keyboard.press("Control+c");
  await press(page, page.getByRole("button", { name: "Done" }));

  await press(page, page.getByRole("button", { name: "Send test event" }));
  await expect(page.getByRole("status").filter({ hasText: "Test event delivered" })).toBeVisible();
  await received(1);

  await press(page, page.getByRole("button", { name: "Rotate secret" }));
  await press(page, page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }));
  await expect(page.getByLabel("Signing secret", { exact: true })).toBeFocused();
  await press(page, page.getByLabel("I have saved the signing secret"), "Space");
  await press(page, page.getByRole("button", { name: "Done" }));
  await expect(page.getByRole("button", { name: "Expire old secret" })).toBeVisible();
});

test("in live, a new webhook and a new secret require the password again", async ({
  page,
  request,
}) => {
  const { email, webhooks } = await begin(page, request);
  await page.goto(webhooks.replace("/test/", "/live/"));
  const age =
    "UPDATE sessions SET proved_at = now() - interval '11 minutes' WHERE user_id = (SELECT id FROM users WHERE email = $1)";
  await queryDatabase(age, [email]);
  await page.getByRole("link", { name: "Create webhook" }).click();
  await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/hook`);
  await page.getByRole("checkbox", { name: /All events/ }).check();
  await page.getByRole("button", { name: "Create live webhook" }).click();
  const question = page.getByRole("dialog", { name: "Confirm your identity" });
  await question.getByLabel("Password").fill(password);
  await question.getByLabel("Password").press("Enter");
  await page.getByLabel("I have saved the signing secret").check();
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`${receiver.url}/hook`);

  await queryDatabase(age, [email]);
  await page.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  await question.getByLabel("Password").fill(password);
  await question.getByLabel("Password").press("Enter");
  await expect(page.getByLabel("Signing secret", { exact: true })).toHaveValue(/^whsec_/);
});

test("members can see webhooks but cannot change them @full", async ({ page, request }) => {
  const { email, webhooks, raise, newWebhook } = await begin(page, request);
  await newWebhook();
  await raise();
  await expect(deliveryRow(page, "customer.created")).toContainText("200 OK");
  await queryDatabase(
    "UPDATE memberships SET role = 'MEMBER' WHERE user_id = (SELECT id FROM users WHERE email = $1)",
    [email],
  );

  // The page was rendered for an owner.
  await page.getByRole("button", { name: "Rotate secret" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  await expect(
    page
      .getByRole("alert")
      .filter({ hasText: "Only owners and admins may rotate signing secrets." }),
  ).toBeVisible();

  await page.reload();
  await expect(page.getByText("Only owners and admins may change, test and resend.")).toBeVisible();
  for (const name of [
    "Rotate secret…",
    "Send test event",
    "Replay…",
    "Recover…",
    "Disable…",
    "Delete…",
  ]) {
    await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0);
  }
  await deliveryRow(page, "customer.created").getByRole("link").click();
  await expect(drawer(page)).toContainText("Only owners and admins may resend deliveries.");
  await page.goto(`${webhooks}/new`);
  await expect(page.getByText("Only owners and admins may create webhooks.")).toBeVisible();
});

test("an event shows what happened, who caused it and which webhooks received it @full", async ({
  page,
  request,
}) => {
  const { webhooks, raise, newWebhook } = await begin(page, request);
  await newWebhook();
  await raise();
  await received(1);
  await page.goto(webhooks.replace("webhooks", "events"));
  const row = deliveryRow(page, "customer.created");
  await expect(row).toContainText("1 delivered");
  await row.getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("customer.created");
  await expect(page.getByRole("region", { name: "payload" })).toContainText(
    '"name": "Grace Hopper"',
  );
  await page.getByRole("row").filter({ hasText: receiver.url }).getByRole("link").click();
  await expect(drawer(page)).toContainText("Attempt 1");
  await drawer(page).getByRole("link", { name: "Show the event" }).click();
  await expect(page).toHaveURL(/events\/evt_/);

  await page.goto(`${webhooks.replace("webhooks", "events")}?type=webhook.test`);
  await expect(page.getByText("No events match these filters")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(row).toBeVisible();
});

test("the signature debugger shows the step that fails, and sends nothing @full", async ({
  page,
  request,
}) => {
  const { webhooks, raise, newWebhook } = await begin(page, request);
  const { secret } = await newWebhook();
  await raise();
  const { body, headers } = await received(1);
  await page.goto(webhooks.replace("webhooks", "signatures"));

  // Next prefetches parts of linked pages, which sends no data of this page.
  const requests: string[] = [];
  page.on("request", (sent) => {
    const isPrefetch = "next-router-prefetch" in sent.headers();
    if (!isPrefetch && !sent.url().includes("/_next/static/")) requests.push(sent.url());
  });
  await page.getByLabel("Headers").fill(`X-Service-Signature: ${headers["x-service-signature"]}`);
  await page.getByLabel("Body").fill(body);
  await page.getByLabel("Signing secret").fill(secret);
  await expect(page.getByText("Valid: a receiver accepts this delivery.")).toBeVisible();
  await page.getByLabel("Body").fill(JSON.stringify(JSON.parse(body), null, 2));
  await expect(page.getByText("signature-mismatch")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Signature failed" })).toContainText(
    "parsed and serialized again",
  );
  await page.getByLabel("Signing secret").fill(secret.slice(6));
  await expect(page.getByRole("listitem").filter({ hasText: "Secret failed" })).toContainText(
    "must start with whsec_",
  );
  await page.getByRole("button", { name: "Fill in an example" }).click();
  await expect(page.getByText("Valid: a receiver accepts this delivery.")).toBeVisible();
  await settled(page);
  expect(requests).toEqual([]);
});

for (const [look, colorScheme, width] of [["light", "light", 1280]] as const) {
  test(`axe reports no violations in the forms and dialogs of webhooks, ${look}`, {
    tag: "@full",
  }, async ({ page, request }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { webhooks, raise, newWebhook } = await begin(page, request);
    await page.setViewportSize({ width, height: 900 });
    respondWith(500, '{"error":"no such table"}');
    await page.goto(`${webhooks}/new`);
    await page.getByRole("button", { name: "Example of customer.created" }).click();
    await page.getByRole("button", { name: "Create test webhook" }).click();
    await expectNoViolations(page, "form");
    await expectNoOverflow(page, "form");
    await page.getByLabel("URL", { exact: true }).fill(`${receiver.url}/hook`);
    await page.getByRole("checkbox", { name: /All events/ }).check();
    await page.getByRole("button", { name: "Create test webhook" }).click();
    await expect(page.getByLabel("Signing secret", { exact: true })).toBeVisible();
    await expectNoViolations(page, "created");

    const { id } = await newWebhook();
    await raise();
    await deliveryRow(page, "500 Internal").getByRole("link").click();
    await drawer(page).getByText("Request headers").click();
    await expectNoViolations(page, "delivery");
    await page.keyboard.press("Escape");
    await expect(page).not.toHaveURL(/delivery=/);
    for (const [button, close] of [
      ["Rotate secret…", "Cancel"],
      ["Replay…", "Cancel"],
      ["Recover…", "Cancel"],
      ["Delete…", "Cancel"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await expectNoViolations(page, button);
      await page.getByRole("button", { name: close }).click();
    }
    await setFailures(id, 93);
    await expect(page.getByText(/9\d attempts failed in a row/)).toBeVisible();
    await expectNoViolations(page, "failing");
    await expectNoOverflow(page, "failing");

    await page.goto(webhooks.replace("webhooks", "signatures"));
    await page.getByRole("button", { name: "Fill in an example" }).click();
    await page.getByLabel("Signing secret").fill("whsec_short");
    await expect(page.getByText("signature-mismatch")).toBeVisible();
    await expectNoViolations(page, "signatures");
    await expectNoOverflow(page, "signatures");
  });
}
