import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

type Resource = { id: string } & Record<string, unknown>;

/** The demo tenant as `npm start` leaves it, in the product that these tests run on. */
export type Demo = { email: string; password: string; tenant: { id: string; slug: string }; keys: Record<"test" | "live", string> };

export const demo = (): Demo => JSON.parse(process.env.PRODUCT_DEMO ?? "{}");

const people = [
  { externalId: "u_1001", name: "Maren Voss", email: "maren@voss-optik.de", locale: "de-DE", metadata: { plan: "gold", seats: 12 } },
  { externalId: "u_1002", name: "Tomás Herrera", email: "tomas@herrera.mx", phone: "+525512345678", locale: "es-MX" },
  { externalId: "u_1003", name: "Aiko Tanaka", email: "aiko@tanaka-design.jp", locale: "ja-JP", metadata: { plan: "silver" } },
  { externalId: "u_1004", name: "Priya Raman", email: "priya@northlane.in" },
  { externalId: "u_1005", name: "Jonas Lindqvist", email: "jonas@fjallmat.se", phone: "+46701234567" },
];

/** Who writes about what, how it was answered, and where it stands. */
const talks = [
  {
    subject: "Where is order 4411?",
    text: "It should have come on Tuesday. The tracking page says nothing since Friday.",
    channelId: "web",
    tags: ["shipping"],
    priority: "HIGH",
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
    text: "The shade arrived broken. Pictures are attached to my e-mail of this morning.",
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
 * Fills the demo tenant with something to look at, by the API alone: conversations in every status, agents, a knowledge
 * base, a webhook that works and one whose receiver is broken.
 * @returns the ids that pages are about
 */
export async function furnish() {
  const { keys, tenant } = demo();
  const database = new pg.Client({ connectionString: process.env.PRODUCT_DATABASE_URL });
  await database.connect();
  // A plan with room for a few hundred requests at once.
  await database.query("UPDATE tenants SET plan = 'SCALE' WHERE id = $1", [tenant.id]).finally(() => database.end());

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
      headers: { Authorization: `Bearer ${keys.test}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<Resource>;
  };

  const webhook = await send("POST", "/webhooks", { url: `${receiverUrl}/orders`, events: ["*"], description: "Order system" });
  const broken = await send("POST", "/webhooks", { url: `${receiverUrl}/broken`, events: ["message.*"], description: "Data warehouse" });
  const customers = [];
  for (const person of people) customers.push(await send("POST", "/customers", person));

  const conversations = [];
  for (const [index, talk] of talks.entries()) {
    const { subject, text, channelId } = talk;
    const optional = { ...("tags" in talk && { tags: talk.tags }), ...("priority" in talk && { priority: talk.priority }) };
    const customerId = customers[index % customers.length]?.id;
    const conversation = await send("POST", "/conversations", { subject, channelId, customerId, message: text, ...optional });
    const path = `/conversations/${conversation.id}`;
    if ("reply" in talk) await send("POST", `${path}/messages`, { text: talk.reply, author: { type: "USER", name: "Ines" } });
    if ("note" in talk)
      await send("POST", `${path}/messages`, { text: talk.note, direction: "INTERNAL", author: { type: "USER", name: "Ines" } });
    if ("status" in talk) await send("PATCH", path, { status: talk.status });
    conversations.push(conversation);
  }

  const base = await send("POST", "/knowledge-bases", { name: "Shop manual", description: "What the shop promises its customers." });
  const document = await send("POST", `/knowledge-bases/${base.id}/documents`, { name: "manual.md", text: manual });
  const agent = await send("POST", "/agents", {
    name: "Shop assistant",
    description: "Answers what the manual answers, and hands over everything else.",
    model: "large-2",
    instructions: "Answer in the customer's language.\nQuote the manual.\nNever promise a date that the carrier has not confirmed.",
    greeting: "Hello. What can I do for you?",
    temperature: 0.3,
    knowledgeBaseIds: [base.id],
  });
  const test = await send("POST", `/webhooks/${webhook.id}/test`);
  // Something for the log that did not go well.
  await send("POST", "/conversations", { channelId: "" }).catch(() => {});
  const refused = await fetch(`${process.env.PRODUCT_URL}/v1/public/customers?limit=0`, {
    headers: { Authorization: `Bearer ${keys.test}` },
  });
  const account = await send("GET", "/account");

  // Until the deliveries were tried, and the requests were written down.
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(200)) {
    const { data } = (await send("GET", `/webhooks/${broken.id}/deliveries?limit=1`)) as unknown as { data: { attemptCount?: number }[] };
    const { status } = await send("GET", `/knowledge-bases/${base.id}/documents/${document.id}`);
    if (data.length > 0 && status === "READY") break;
  }
  await sleep(1_500);
  const { data: events } = (await send("GET", "/events?limit=1")) as unknown as { data: Resource[] };

  return {
    receiver,
    ids: {
      webhook: webhook.id,
      brokenWebhook: broken.id,
      delivery: test.id,
      customer: customers[0]?.id ?? "",
      conversation: conversations[0]?.id ?? "",
      knowledgeBase: base.id,
      document: document.id,
      agent: agent.id,
      event: events[0]?.id ?? "",
      request: refused.headers.get("x-request-id") ?? "",
      apiKey: (account.key as Resource).id,
    },
  };
}

type Ids = Awaited<ReturnType<typeof furnish>>["ids"];

/** Every page of the dashboard, by the name of its picture. */
export function everyPage(ids: Ids): Record<string, string> {
  return {
    overview: "",
    conversations: "/conversations",
    conversation: `/conversations/${ids.conversation}`,
    customers: "/customers",
    customer: `/customers/${ids.customer}`,
    agents: "/agents",
    agent: `/agents/${ids.agent}`,
    "agent-versions": `/agents/${ids.agent}/versions`,
    knowledge: "/knowledge",
    "knowledge-base": `/knowledge/${ids.knowledgeBase}`,
    "knowledge-query": `/knowledge/${ids.knowledgeBase}/search?q=refund`,
    document: `/knowledge/${ids.knowledgeBase}/documents/${ids.document}`,
    "api-keys": "/api-keys",
    "api-key": `/api-keys/${ids.apiKey}`,
    webhooks: "/webhooks",
    webhook: `/webhooks/${ids.webhook}`,
    "webhook-failing": `/webhooks/${ids.brokenWebhook}`,
    "webhook-new": "/webhooks/new",
    "webhook-edit": `/webhooks/${ids.webhook}/edit`,
    delivery: `/webhooks/${ids.webhook}?delivery=${ids.delivery}`,
    events: "/events",
    event: `/events/${ids.event}`,
    logs: "/logs",
    request: `/logs/${ids.request}`,
    signatures: "/signatures",
    usage: "/usage",
    settings: "/settings",
    members: "/settings/members",
    profile: "/settings/profile",
    "audit-log": "/settings/audit-log",
  };
}
