import { randomBytes } from "node:crypto";
import type { EventName, Parlance, RequestOptions } from "../src/index";
import { type Command, clientOf, UsageError } from "./command";

const customer = { externalId: "cli-customer", name: "Ada Lovelace" };
const question = { channelId: "cli", message: "Hello! Where is my order?" };

/** @returns the object that the event is about */
type Recipe = (client: Parlance, options: RequestOptions) => Promise<{ id: string }>;

/** What raises the event. */
const recipes: Partial<Record<EventName, Recipe>> = {
  "conversation.created": (client, options) =>
    client.conversations.create({ channelId: "cli" }, options),
  "conversation.updated": async (client, options) => {
    const { id } = await client.conversations.create({ channelId: "cli" }, options);
    return client.conversations.update(id, { priority: "HIGH" }, options);
  },
  "conversation.status_changed": async (client, options) => {
    const { id } = await client.conversations.create(question, options);
    return client.conversations.update(id, { status: "RESOLVED" }, options);
  },
  "message.received": (client, options) =>
    client.conversations.create({ ...question, customer }, options),
  "message.sent": async (client, options) => {
    const { id } = await client.conversations.create({ ...question, customer }, options);
    const reply = { text: "It left the warehouse this morning.", author: { type: "API" } } as const;
    return client.conversations.messages.create(id, reply, options);
  },
  "customer.created": (client, options) =>
    client.customers.create({ name: "Ada Lovelace" }, options),
  "customer.updated": async (client, options) => {
    const { id } = await client.customers.create({ name: "Ada" }, options);
    return client.customers.update(id, { name: "Ada Lovelace" }, options);
  },
  "agent.created": (client, options) => client.agents.create({ name: "Concierge" }, options),
  "agent.updated": async (client, options) => {
    const { id } = await client.agents.create({ name: "Concierge" }, options);
    return client.agents.update(id, { name: "Concierge, improved" }, options);
  },
  // Their names are unique.
  "knowledge_base.created": (client, options) => {
    const name = `Help center ${randomBytes(3).toString("hex")}`;
    return client.knowledgeBases.create({ name }, options);
  },
};

export const trigger: Command = {
  name: "trigger",
  summary: "Raise an event by doing what causes it, in the test environment",
  arguments: ["type"],
  choices: Object.keys(recipes),
  details: `Types:\n  ${Object.keys(recipes).join("\n  ")}

The objects stay in the test environment. To send the example of any other type to a webhook, use
\`parlance webhooks test\`.`,
  run: async ({ args, values, output, signal }) => {
    const [type = ""] = args;
    const recipe = recipes[type as EventName];
    if (!recipe)
      throw new UsageError(
        `"${type}" cannot be triggered. Types: ${Object.keys(recipes).join(", ")}.`,
        trigger,
      );
    const client = clientOf(values);
    if (client.environment === "live")
      throw new UsageError("This key is live. Events are triggered with a test key only.", trigger);
    const { id } = await recipe(client, { signal });
    output.result({ type, id }, `Raised ${type}: ${id}`);
  },
};
