import type { EventName, Parlance } from "../src/index";
import { type Command, clientOf, UsageError } from "./command";

const customer = { externalId: "cli-customer", name: "Ada Lovelace" };
const question = { channelId: "cli", message: "Hello! Where is my order?" };

/** What raises the event. @returns the object that the event is about */
const recipes: Partial<Record<EventName, (client: Parlance) => Promise<{ id: string }>>> = {
  "conversation.created": (client) => client.conversations.create({ channelId: "cli" }),
  "conversation.updated": async (client) => {
    const { id } = await client.conversations.create({ channelId: "cli" });
    return client.conversations.update(id, { priority: "HIGH" });
  },
  "conversation.status_changed": async (client) => {
    const { id } = await client.conversations.create(question);
    return client.conversations.update(id, { status: "RESOLVED" });
  },
  "message.received": (client) => client.conversations.create({ ...question, customer }),
  "message.sent": async (client) => {
    const { id } = await client.conversations.create({ ...question, customer });
    return client.conversations.messages.create(id, {
      text: "It left the warehouse this morning.",
      author: { type: "API" },
    });
  },
  "customer.created": (client) => client.customers.create({ name: "Ada Lovelace" }),
  "customer.updated": async (client) => {
    const { id } = await client.customers.create({ name: "Ada" });
    return client.customers.update(id, { name: "Ada Lovelace" });
  },
  "agent.created": (client) => client.agents.create({ name: "Concierge" }),
  "agent.updated": async (client) => {
    const { id } = await client.agents.create({ name: "Concierge" });
    return client.agents.update(id, { name: "Concierge, improved" });
  },
  "knowledge_base.created": (client) => client.knowledgeBases.create({ name: "Help center" }),
};

export const trigger: Command = {
  name: "trigger",
  summary: "Raise an event by doing what causes it, in the test environment",
  arguments: ["type"],
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
    signal.throwIfAborted();
    const { id } = await recipe(client);
    output.result({ type, id }, `Raised ${type}: ${id}`);
  },
};
