import { families } from "./filter";

/** What filters compare, from the row of a conversation. The parameter names its table. */
export const filterableRow = (c: string): string =>
  `jsonb_build_object('channelId', ${c}.channel_id, 'tags', ${c}.tags, 'priority', ${c}.priority, 'assigneeId', ${c}.assignee_id, 'agentId', ${c}.agent_id)`;

/**
 * Whether a conversation matches a filter: each field of the filter must have one of its values.
 * Both the filter's values and the conversation's can be one value or a list. A path takes either.
 */
const matches = (filter: string, conversation: string): string => `NOT EXISTS (
  SELECT 1 FROM jsonb_each(${filter}) AS wanted
  WHERE NOT EXISTS (
    SELECT 1 FROM jsonb_path_query(${conversation} -> wanted.key, '$[*]') AS own (value) WHERE wanted.value @> own.value))`;

/**
 * Whether an event passes a webhook's filter.
 * @param conversations the conversation that the event is about, as JSON, or a list of its states.
 * Null for an event about none, which passes every filter.
 */
export const passesFilter = (filter: string, conversations: string): string =>
  `(${filter} IS NULL OR ${conversations} IS NULL OR EXISTS (
      SELECT 1 FROM jsonb_path_query(${conversations}, '$[*]') AS state (conversation) WHERE ${matches(filter, "state.conversation")}))`;

/** The id of the conversation in an event's payload. What a tenant writes comes after it. */
export const conversationIdIn = (payload: string): string =>
  `substring(${payload} FROM '"(?:conversationId|object":\\{"id)":"(cnv_[0-9A-Z]{26})"')`;

/**
 * Whether a stored event passes a webhook's filter today: compares its conversation as it is now.
 * The events of a deleted conversation pass no filter.
 * @param e the name of a table with the columns that identify the event, and its type
 */
export const passesFilterToday = (filter: string, e: string): string =>
  `(${filter} IS NULL OR split_part(${e}.type, '.', 1) <> ALL ('{${families.join()}}'::text[]) OR EXISTS (
      SELECT 1 FROM events stored
      JOIN conversations c ON c.tenant_id = stored.tenant_id AND c.environment = stored.environment
        AND c.id = ${conversationIdIn("stored.payload")}
      WHERE stored.tenant_id = ${e}.tenant_id AND stored.environment = ${e}.environment AND stored.id = ${e}.id
        AND ${matches(filter, filterableRow("c"))}))`;
