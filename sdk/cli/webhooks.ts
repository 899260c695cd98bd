import type { DeliveryStatus, EventName } from "../src/index";
import { type Command, clientOf, listOf, textOf, UsageError } from "./command";
import { table } from "./output";

export const webhooksList: Command = {
  name: "webhooks list",
  summary: "List the webhooks",
  run: async ({ values, output, signal }) => {
    const webhooks = await clientOf(values).webhooks.list({}, { signal }).toArray({ limit: 1_000 });
    output.result(
      webhooks,
      webhooks.length === 0
        ? "There are no webhooks."
        : table(webhooks.map(({ id, status, url }) => [id, status, url])),
    );
  },
};

const deliveryStatuses = ["PENDING", "DELIVERED", "FAILED", "HELD", "DISCARDED"] as const;
const defaultDeliveries = 20;
const maximumDeliveries = 1_000;

export const webhooksDeliveries: Command = {
  name: "webhooks deliveries",
  summary: "List the latest deliveries of a webhook",
  arguments: ["webhook"],
  options: {
    status: {
      value: "statuses",
      description: `only these, separated by commas: ${deliveryStatuses.join(", ").toLowerCase()}`,
    },
    limit: {
      value: "number",
      description: `how many, up to ${maximumDeliveries}. Default: ${defaultDeliveries}`,
    },
  },
  run: async ({ args, values, output, signal }) => {
    const [webhookId = ""] = args;
    const status = statusesOf(listOf(values, "status"));
    const limit = limitOf(textOf(values, "limit"));
    const deliveries = await clientOf(values)
      .webhooks.deliveries.list(webhookId, { status, limit: Math.min(limit, 100) }, { signal })
      .toArray({ limit });
    const rows = deliveries.map(({ id, status, eventType, attemptCount, createdAt }) => {
      const attempts = `${attemptCount} ${attemptCount === 1 ? "attempt" : "attempts"}`;
      return [id, status, createdAt, attempts, eventType];
    });
    const none = status ? "No deliveries have this status." : "There are no deliveries.";
    output.result(deliveries, rows.length === 0 ? none : table(rows));
  },
};

function statusesOf(words: string[] | undefined): DeliveryStatus[] | undefined {
  return words?.map((word) => {
    const status = deliveryStatuses.find((status) => status === word.toUpperCase());
    if (status) return status;
    throw new UsageError(
      `--status must be one or several of ${deliveryStatuses.join(", ").toLowerCase()}, and not "${word}".`,
      webhooksDeliveries,
    );
  });
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? defaultDeliveries : Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= maximumDeliveries) return limit;
  throw new UsageError(
    `--limit must be a number from 1 to ${maximumDeliveries}, and not "${text}".`,
    webhooksDeliveries,
  );
}

export const webhooksTest: Command = {
  name: "webhooks test",
  summary: "Send a test event, or the example of another type",
  arguments: ["webhook"],
  options: { type: { value: "type", description: "the type of event. Default: webhook.test" } },
  run: async ({ args, values, output, signal }) => {
    const [webhookId = ""] = args;
    const type = (textOf(values, "type") ?? "webhook.test") as EventName;
    const delivery = await clientOf(values).webhooks.test(webhookId, { type }, { signal });
    output.result(delivery, `Sending ${type} as delivery ${delivery.id}.`);
  },
};

export const webhooksResend: Command = {
  name: "webhooks resend",
  summary: "Send a delivery again",
  arguments: ["webhook", "delivery"],
  run: async ({ args, values, output, signal }) => {
    const [webhookId = "", deliveryId = ""] = args;
    const { deliveries } = clientOf(values).webhooks;
    const delivery = await deliveries.resend(webhookId, deliveryId, { signal });
    output.result(delivery, `Sending ${delivery.eventType} as delivery ${delivery.id}.`);
  },
};

export const webhooksReplay: Command = {
  name: "webhooks replay",
  summary: "Send the events of a period again",
  arguments: ["webhook"],
  options: {
    since: { value: "time", description: "events from this time on, such as 2026-01-31T09:00:00Z" },
    until: { value: "time", description: "and up to this time. Default: now" },
    events: { value: "types", description: "only events of these types, separated by commas" },
    "dry-run": { description: "only count the events" },
  },
  run: async ({ args, values, output, signal }) => {
    const [webhookId = ""] = args;
    const since = textOf(values, "since");
    if (!since)
      throw new UsageError("Give the start of the period: --since <time>.", webhooksReplay);
    const eventTypes = listOf(values, "events") as EventName[] | undefined;
    const isDryRun = values["dry-run"] === true;
    const replay = await clientOf(values).webhooks.replay(
      webhookId,
      {
        since,
        until: textOf(values, "until"),
        ...(eventTypes && { eventTypes }),
        dryRun: isDryRun,
      },
      { signal },
    );
    const events = `${replay.isMore ? "more than " : ""}${replay.count} ${replay.count === 1 ? "event" : "events"}`;
    output.result(replay, isDryRun ? `${events} would be sent.` : `Sending ${events}.`);
  },
};
