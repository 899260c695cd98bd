import { type NewEvent, newEvent } from "@/lib/events/record-event";
import type { Identity } from "@/lib/platform/caller";
import { newMessage } from "./message";
import { type Message, message as messageSchema } from "./message-schema";

// `postMessageInOneStatement` stores the response's body and the event's payload in the statement
// that writes the message. Only that statement knows the sequence, the customer who wrote it and
// the time, so both texts are made with placeholders, cut there, and put together in SQL:
//
//   start | sequence … author's id and name | fromAuthor | createdAt | end
//
// This relies on the order of a message's fields: sequence and author come before anything that a
// tenant writes, createdAt after it. Both texts are checked when this module loads, so a field that
// is moved stops every process from starting, and breaks no text.

/** A message's JSON without what only the statement knows. */
export type MessageText = {
  start: string;
  fromSequenceToAuthorId: string;
  fromAuthor: string;
  end: string;
};

/** What the statement fills in. `author` is the author's id and name. */
type FilledIn = {
  sequence: number;
  author: { id: string; name: string };
  at: string;
  agent: { agentId: string; agentVersion: number };
};

/** The agent of an event that is cut. */
export const noAgent = { agentId: null, agentVersion: null };

const sequence = '"sequence":';
const author = '"id":null,"name":null';
const createdAt = '"createdAt":"';
const agent = '"agentId":null,"agentVersion":null';
const timestamp = '"timestamp":"';
const timeLength = "2026-01-31T09:30:00.000Z".length;

/** The message as it is cut: its sequence is 0, and its author has no id and no name. */
export const withPlaceholders = (message: Message): Message => ({
  ...message,
  sequence: 0,
  author: { ...message.author, id: null, name: null },
});

/** @param json of a message with placeholders, alone or as the last object that has its fields */
export function cutMessage(json: string): MessageText {
  const sequenceAt = indexAfter(sequence, json.indexOf(`${sequence}0`));
  const authorAt = json.indexOf(author, sequenceAt);
  const authorIdAt = indexAfter('"id":', authorAt);
  // A tenant's texts come before it, and in what follows, quotes are escaped.
  const timeAt = indexAfter(createdAt, json.lastIndexOf(createdAt));
  return {
    start: json.slice(0, sequenceAt),
    fromSequenceToAuthorId: json.slice(sequenceAt + 1, authorIdAt),
    fromAuthor: json.slice(authorAt + author.length, timeAt),
    end: json.slice(timeAt + timeLength),
  };
}

type EventText = MessageText & {
  untilTimestamp: string;
  /** What follows the agent. Empty for an event that names none. */
  fromAgent: string;
};

/** The payload of the event of a message with placeholders. Its first part ends at its own time. */
export function cutEvent({ payload, type }: NewEvent): EventText {
  const timeAt = indexAfter(timestamp, payload.indexOf(timestamp));
  const untilTimestamp = payload.slice(0, timeAt);
  const { end, ...text } = cutMessage(payload.slice(timeAt + timeLength));
  if (type !== "message.received") return { untilTimestamp, ...text, end, fromAgent: "" };
  const afterAgent = indexAfter(agent, end.indexOf(agent));
  const untilAgent = end.slice(0, afterAgent - agent.length);
  return { untilTimestamp, ...text, end: untilAgent, fromAgent: end.slice(afterAgent) };
}

function indexAfter(marker: string, index: number): number {
  if (index < 0) throw new Error(`the text of a message has no ${marker}`);
  return index + marker.length;
}

/**
 * Checks that texts are cut where the statement puts them together again.
 * @param write a message as a response's body
 * @throws Error if they are not, because the fields of a message or an event were moved
 */
export function requireCuttable(write: (message: Message) => string): void {
  const time = "2026-01-31T09:30:00.000Z";
  const filledIn: FilledIn = {
    sequence: 7,
    author: { id: "cus_1", name: "Ada" },
    at: time,
    agent: { agentId: "agt_1", agentVersion: 2 },
  };
  // What a tenant writes may look like a placeholder, and must not be taken for one.
  const lookalike = { sequence: 0, createdAt: time, timestamp: time, id: "null", name: "null" };
  const identity: Identity = {
    partition: { tenantId: "", environment: "test" },
    actor: { type: "SYSTEM", id: "" },
    request: { id: "", idempotencyKey: JSON.stringify(lookalike) },
    address: null,
  };
  const body = { text: JSON.stringify(lookalike), externalId: "0", metadata: lookalike };
  const at = new Date(0);
  const message = newMessage(identity.partition, { id: "", customer: null }, 0, body, at);
  const complete: Message = {
    ...message,
    sequence: filledIn.sequence,
    author: { ...message.author, ...filledIn.author },
    createdAt: time,
  };

  const bodyText = fillIn(cutMessage(write(withPlaceholders(message))), filledIn);
  const event = newEvent(identity, "message.received", withPlaceholders(message), at, {
    agent: noAgent,
  });
  const { untilTimestamp, fromAgent, ...rest } = cutEvent(event);
  const data = { object: complete, ...filledIn.agent };
  const payload = { ...JSON.parse(event.payload), timestamp: time, data };
  if (bodyText !== write(complete)) throw new Error("a message cannot be cut: its fields moved");
  const agentText = JSON.stringify(filledIn.agent).slice(1, -1);
  const eventText = untilTimestamp + time + fillIn(rest, filledIn) + agentText + fromAgent;
  if (eventText !== JSON.stringify(payload))
    throw new Error("a message's event cannot be cut: its fields moved");
}

/** The same as the statement does. */
function fillIn(text: MessageText, { sequence, author, at }: FilledIn): string {
  const own = `${sequence}${text.fromSequenceToAuthorId}"${author.id}","name":"${author.name}"`;
  return `${text.start}${own}${text.fromAuthor}${at}${text.end}`;
}

requireCuttable((message) => JSON.stringify(messageSchema.parse(message)));
