import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, newVisitor } from "./test";

type Resource = { id: string } & Record<string, unknown>;

const people = [
  {
    externalId: "u_1001",
    name: "Maren Voss",
    email: "maren@voss-optik.de",
    locale: "de-DE",
    metadata: { plan: "gold", seats: 12 },
  },
  {
    externalId: "u_1002",
    name: "Tomás Herrera",
    email: "tomas@herrera.mx",
    phone: "+525512345678",
    locale: "es-MX",
  },
  {
    externalId: "u_1003",
    name: "Aiko Tanaka",
    email: "aiko@tanaka-design.jp",
    locale: "ja-JP",
    metadata: { plan: "silver" },
  },
  { externalId: "u_1004", name: "Priya Raman", email: "priya@northlane.in" },
  {
    externalId: "u_1005",
    name: "Jonas Lindqvist",
    email: "jonas@fjallmat.se",
    phone: "+46701234567",
  },
];

/** The sample conversations: customer, messages, replies and status. */
const talks = [
  {
    subject: "Where is order 4411?",
    text: "It should have come on Tuesday. The tracking page says nothing since Friday.",
    channelId: "web",
    tags: ["shipping"],
    priority: "HIGH",
    note: "The carrier scanned it in Leipzig this morning.",
    reply:
      "I have asked the carrier: it is in Leipzig, and should be with you tomorrow before noon.",
  },
  {
    subject: "Invoice with the wrong VAT id",
    text: "Could you issue invoice 2026-118 again? Our VAT id is DE 811 234 567.",
    channelId: "email",
    tags: ["billing"],
    reply: "Done: the corrected invoice is on its way to you.",
    status: "PENDING",
  },
  {
    subject: "Login link has run out",
    text: "The link in your mail says that it is not valid any more.",
    channelId: "web",
    reply: "I have sent you a new one; it lasts for an hour.",
    status: "RESOLVED",
  },
  {
    subject: "Bulk import of 12,000 contacts",
    text: "Is there a limit for one file? Ours has 12,000 rows and 40 columns.",
    channelId: "email",
    tags: ["import", "sales"],
    note: "Ask Priya whether she wants the beta.",
  },
  {
    subject: "Refund for a damaged lamp",
    text: "The shade arrived broken. Pictures are attached to my email from this morning.",
    channelId: "whatsapp",
    tags: ["refund"],
    priority: "URGENT",
  },
  {
    subject: "Change of delivery address",
    text: "Please send it to my office instead: Götgatan 11, Stockholm.",
    channelId: "web",
    reply: "Changed. It leaves the house tonight.",
    status: "CLOSED",
  },
  {
    subject: "Which plan has single sign-on?",
    text: "We are forty people and need SAML.",
    channelId: "web",
    tags: ["sales"],
    priority: "LOW",
  },
] as const;

const manual = `Shipping

We ship within two working days. Parcels within Europe arrive after three to five days, others after seven to ten.

Returns

Anything may be sent back within thirty days. Send it in its box, with the form that came with it; we refund the price within five days after it has arrived. Lamps that arrive broken are replaced at once: a picture is enough.

Invoices

An invoice is issued with each order and can be had again, with another address or VAT id, from the billing team.`;

/**
 * A new tenant with sample data, created through the API only: conversations in every status,
 * agents, a knowledge base, a webhook that works and one whose receiver is broken.
 * @returns the cookies of its owner, its pages by the names of their screenshots, and a function that
 * stops the receiver
 */
export async function furnish(browser: Browser) {
  const context = await newVisitor(browser);
  const page = await context.newPage();
  const { tenantSlug } = await signUp(page, { organization: "Northlane", name: "Ines Moreau" });
  const key = await newTestKey(page);
  const { cookies } = await context.storageState();
  await context.close();
  // A plan that allows a few hundred requests in a short time.
  await queryDatabase("UPDATE tenants SET plan = 'SCALE' WHERE slug = $1", [tenantSlug]);

  const receiver = createServer((request, response) => {
    request.resume();
    const isBroken = request.url?.includes("broken");
    response
      .writeHead(isBroken ? 500 : 200, { "Content-Type": "application/json" })
      .end(isBroken ? '{"error":"no such table: orders"}' : '{"ok":true}');
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  const send = async (method: string, path: string, body?: object): Promise<Resource> => {
    const response = await fetch(`${process.env.PRODUCT_URL}/v1/public${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Resource>;
  };

  const webhook = await send("POST", "/webhooks", {
    url: `${receiverUrl}/orders`,
    events: ["*"],
    description: "Order system",
  });
  const broken = await send("POST", "/webhooks", {
    url: `${receiverUrl}/broken`,
    events: ["message.*"],
    description: "Data warehouse",
  });
  const customers = [];
  for (const person of people) customers.push(await send("POST", "/customers", person));

  const conversations = [];
  for (const [index, talk] of talks.entries()) {
    const { subject, text, channelId } = talk;
    const optional = {
      ...("tags" in talk && { tags: talk.tags }),
      ...("priority" in talk && { priority: talk.priority }),
    };
    const customerId = customers[index % customers.length]?.id;
    const conversation = await send("POST", "/conversations", {
      subject,
      channelId,
      customerId,
      message: text,
      ...optional,
    });
    const path = `/conversations/${conversation.id}`;
    if ("note" in talk)
      await send("POST", `${path}/messages`, {
        text: talk.note,
        direction: "INTERNAL",
        author: { type: "USER", name: "Ines" },
      });
    if ("reply" in talk)
      await send("POST", `${path}/messages`, {
        text: talk.reply,
        author: { type: "USER", name: "Ines" },
      });
    if ("status" in talk) await send("PATCH", path, { status: talk.status });
    conversations.push(conversation);
  }

  const base = await send("POST", "/knowledge-bases", {
    name: "Shop manual",
    description: "What the shop promises its customers.",
  });
  const document = await send("POST", `/knowledge-bases/${base.id}/documents`, {
    name: "manual.md",
    text: manual,
  });
  const agent = await send("POST", "/agents", {
    name: "Shop assistant",
    description: "Answers what the manual answers, and hands over everything else.",
    model: "large-2",
    instructions:
      "Answer in the customer's language.\nQuote the manual.\nNever promise a date that the carrier has not confirmed.",
    greeting: "Hello. What can I do for you?",
    temperature: 0.3,
    knowledgeBaseIds: [base.id],
  });
  await send("POST", `/webhooks/${webhook.id}/test`);
  // A failed request for the log.
  await send("POST", "/conversations", { channelId: "" }).catch(() => {});
  const refused = await fetch(`${process.env.PRODUCT_URL}/v1/public/customers?limit=0`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  const account = await send("GET", "/account");

  // Wait until the first delivery was attempted, the document is ready, and the last request is logged.
  let tried: Resource | undefined;
  await expect(async () => {
    const { data } = (await send(
      "GET",
      `/webhooks/${broken.id}/deliveries?order=asc&limit=1`,
    )) as unknown as { data: Resource[] };
    tried = data[0];
    expect(Number(tried?.attemptCount)).toBeGreaterThan(0);
    const { status } = await send("GET", `/knowledge-bases/${base.id}/documents/${document.id}`);
    expect(status).toBe("READY");
    const logged = "SELECT FROM request_logs WHERE id = $1";
    expect(await queryDatabase(logged, [refused.headers.get("x-request-id")])).toHaveLength(1);
  }).toPass();
  const { data: events } = (await send("GET", "/events?limit=1")) as unknown as {
    data: Resource[];
  };

  const paths = {
    overview: "",
    conversations: "/conversations",
    conversation: `/conversations/${conversations[0]?.id}`,
    customers: "/customers",
    customer: `/customers/${customers[0]?.id}`,
    agents: "/agents",
    agent: `/agents/${agent.id}`,
    "agent-versions": `/agents/${agent.id}/versions`,
    knowledge: "/knowledge",
    "knowledge-base": `/knowledge/${base.id}`,
    "knowledge-query": `/knowledge/${base.id}/search?q=refund`,
    document: `/knowledge/${base.id}/documents/${document.id}`,
    "api-keys": "/api-keys",
    "api-key": `/api-keys/${(account.key as Resource).id}`,
    webhooks: "/webhooks",
    webhook: `/webhooks/${webhook.id}`,
    "webhook-failing": `/webhooks/${broken.id}`,
    "webhook-new": "/webhooks/new",
    "webhook-edit": `/webhooks/${webhook.id}/edit`,
    delivery: `/webhooks/${broken.id}?delivery=${tried?.id}`,
    events: "/events",
    event: `/events/${events[0]?.id}`,
    logs: "/logs",
    request: `/logs/${refused.headers.get("x-request-id")}`,
    signatures: "/signatures",
    usage: "/usage",
    settings: "/settings",
    retention: "/settings/retention",
    members: "/settings/members",
    "access-review": "/settings/access-review",
    profile: "/settings/profile",
    "notification-settings": "/settings/notifications",
    notifications: "/notifications",
    "audit-log": "/settings/audit-log",
  };
  return {
    cookies,
    pages: [
      ...Object.entries(paths).map(([name, path]) => ({
        name,
        path: `/${tenantSlug}/test${path}`,
      })),
      { name: "second-factor", path: "/second-factor" },
    ],
    close() {
      receiver.closeAllConnections();
      receiver.close();
    },
  };
}
