import { z } from "zod";
import { channelId, priority, tag } from "@/lib/conversations/schema";
import { distinct } from "@/lib/platform/schema";
import { reference } from "@/lib/resources/id-schema";

const maximumValues = 50;

/** One value, or a list of which one has to match. */
const anyOf = <Value extends z.ZodType<string | null>>(value: Value, description: string) =>
  z
    .union([
      value.meta({ title: "Value" }),
      distinct(z.array(value).min(1).max(maximumValues)).meta({ title: "List" }),
    ])
    .optional()
    .meta({ description });

const fields = {
  channelId: anyOf(channelId.meta({ examples: undefined }), "The conversation's channel."),
  tags: anyOf(tag, "A tag of the conversation. With a list, one of its tags must be in the list."),
  priority: anyOf(priority, "The conversation's priority."),
  assigneeId: anyOf(
    reference("user").nullable(),
    "The member who is assigned to the conversation. Null is for conversations without one.",
  ),
  agentId: anyOf(
    reference("agent").nullable(),
    "The conversation's agent. Null is for conversations without one.",
  ),
};

const described = {
  description:
    "Sends only events about conversations and messages whose conversation matches every field. A field takes one value or a list, of which one has to match. Events about anything else are not filtered.",
  examples: [{ channelId: "web", priority: ["HIGH", "URGENT"] }],
};

export const filterInput = z
  .strictObject(fields)
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    params: { code: "too_small" },
    message: "must have at least one field; use null for no filter",
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ ...described, title: "Filter" });

/** As it was sent. */
export const filter = z.object(fields).meta({ id: "WebhookFilter", ...described });

export type WebhookFilter = z.output<typeof filter>;
