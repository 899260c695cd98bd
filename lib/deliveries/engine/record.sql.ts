import { filterableRow } from "@/lib/events/filter.sql";
import { changeParameters, eventParameters, writeEvents } from "@/lib/events/outbox.sql";
import { type References, sql, timeOf, withLockTimeout } from "@/lib/platform/sql";
import { disableAfterFailures, probeAfterFailures, warnAfterFailures } from "@/lib/webhooks/health";
import { isWebhookOf, samePartition, sameWebhook } from "./joins.sql";

/** A row for each recorded attempt, and the deliveries of what it raised. */
const result = (deliveries: string) => `
  SELECT d.place::int AS place, d.status, d.next_attempt_at, coalesce(c.consecutive_failures, 0) AS consecutive_failures,
    ${deliveries} AS deliveries
  FROM recorded d LEFT JOIN counter c USING (webhook_id, tenant_id, environment)`;

const attemptParameters = {
  now: "clock",
  /** How long to wait for each locked row, such as `250ms`. */
  lockTimeout: "text",
  probeSeconds: "float8",
  tenantIds: "text[]",
  environments: "Environment[]",
  ids: "text[]",
  webhookIds: "text[]",
  deliveredEventIds: "text[]",
  leaseHolders: "text[]",
  numbers: "int[]",
  triggers: "AttemptTrigger[]",
  startedAt: "timestamptz[]",
  durationsMs: "int[]",
  statusCodes: "int?[]",
  errorCodes: "text?[]",
  responses: "text?[]",
  /** JSON, of responses that are not a success. */
  responseHeaders: "text?[]",
  successes: "boolean[]",
  probes: "boolean[]",
  /** The URL of a receiver that returned 410. */
  goneUrls: "text?[]",
  /** Null for no change. */
  newStatuses: "DeliveryStatus?[]",
  /** Seconds to the next attempt. */
  delays: "float8?[]",
  /** Why the reply in a response was not posted. */
  replyProblems: "text?[]",
} as const;

type ReplyParts = {
  /** Whether this records a single attempt whose response had a reply. */
  hasReply: boolean;
  /** What has to happen before the webhooks are locked. */
  lockAfter: string;
  replyMessageId: string;
  replyProblem: string;
};

const withoutReply: ReplyParts = {
  hasReply: false,
  lockAfter: "true",
  replyMessageId: "NULL",
  replyProblem: "e.reply_problem",
};

/**
 * Records attempts, in the order in which they ended. Writes deliveries, then attempts, then the
 * webhooks' counters. A first attempt that succeeds without a reply is written into the delivery
 * alone. An attempt is recorded and counted only for the holder of the lease and under the number it
 * was claimed for, so one that outlasted its lease changes nothing.
 *
 * The webhooks are locked first and always in the same order, so that two processes never deadlock,
 * and a failure sees whether its webhook was disabled or enabled meanwhile. A healthy webhook is
 * updated at most once a second, so thousands of successes share one write.
 *
 * Attempts that were in flight when the webhook began to fail can raise the count to 99 at most.
 * Only a probe can be the failure that disables it, because a receiver that fails with many
 * requests in flight has not failed for long yet.
 *
 * All arrays have one element per attempt. Tenant, environment and id identify a delivery. Its
 * webhook and event are compared too, so that any index the planner chooses finds one row, even
 * without statistics. `recorded` has a row for each recorded attempt, with its place in the arrays.
 */
function recording(
  p: References<typeof attemptParameters>,
  { hasReply, lockAfter, replyMessageId, replyProblem }: ReplyParts,
): string {
  const now = timeOf(p.now);
  return `
  ended AS MATERIALIZED (
    SELECT *, number = 1 AND trigger = 'AUTOMATIC' AND is_success AND reply_problem IS NULL AND NOT ${hasReply} AS is_first_success FROM unnest(
      ${p.tenantIds}, ${p.environments}, ${p.ids}, ${p.webhookIds}, ${p.deliveredEventIds}, ${p.leaseHolders}, ${p.numbers},
      ${p.triggers}, ${p.startedAt}, ${p.durationsMs}, ${p.statusCodes}, ${p.errorCodes}, ${p.responses}, ${p.responseHeaders}, ${p.successes},
      ${p.probes}, ${p.goneUrls}, ${p.newStatuses}, ${p.delays}, ${p.replyProblems}
    ) WITH ORDINALITY AS e (
      tenant_id, environment, id, webhook_id, event_id, lease_holder, number, trigger,
      started_at, duration_ms, status_code, error_code, response, response_headers, is_success, is_probe, gone_url, new_status, delay_seconds, reply_problem, place
    )
    WHERE ${withLockTimeout(p.lockTimeout)}
  ),
  locked AS MATERIALIZED (
    SELECT w.tenant_id, w.environment, w.id AS webhook_id, w.status, w.consecutive_failures FROM webhooks w
    JOIN (
      SELECT tenant_id, environment, webhook_id, bool_or(is_success) AS has_success, bool_or(NOT is_success) AS has_failure
      FROM ended GROUP BY tenant_id, environment, webhook_id
    ) e ON ${isWebhookOf("w", "e")}
    WHERE ${lockAfter} AND (e.has_failure
      OR w.consecutive_failures > 0 OR w.probe_after IS NOT NULL
      OR w.last_success_at IS NULL OR w.last_success_at <= ${now} - interval '1 second')
    ORDER BY w.tenant_id, w.environment, w.id
    FOR NO KEY UPDATE OF w
  ),
  recorded AS (
    UPDATE deliveries d SET
      status = CASE WHEN e.new_status = 'PENDING' AND w.status = 'DISABLED' THEN 'HELD' ELSE coalesce(e.new_status, d.status) END,
      attempt_count = e.number,
      automatic_count = d.automatic_count + CASE WHEN e.trigger = 'AUTOMATIC' THEN 1 ELSE 0 END,
      next_attempt_at = CASE
        WHEN e.new_status IS NULL THEN d.next_attempt_at
        WHEN e.new_status = 'PENDING' AND w.status = 'ENABLED' THEN ${now} + make_interval(secs => e.delay_seconds)
      END,
      requested_trigger = CASE WHEN e.trigger = 'AUTOMATIC' THEN d.requested_trigger END,
      requested_at = CASE WHEN e.trigger = 'AUTOMATIC' THEN d.requested_at END,
      lease_holder = NULL,
      lease_expires_at = NULL,
      response_class = coalesce(e.status_code / 100, 0),
      first_started_at = CASE WHEN e.is_first_success THEN e.started_at ELSE d.first_started_at END,
      first_duration_ms = CASE WHEN e.is_first_success THEN e.duration_ms ELSE d.first_duration_ms END,
      first_status_code = CASE WHEN e.is_first_success THEN e.status_code ELSE d.first_status_code END,
      first_response = CASE WHEN e.is_first_success THEN e.response ELSE d.first_response END,
      updated_at = ${now}
    FROM ended e LEFT JOIN locked w ON ${sameWebhook("w", "e")}
    WHERE ${samePartition("d", "e")} AND d.id = e.id AND d.webhook_id = e.webhook_id AND d.event_id = e.event_id AND d.lease_holder = e.lease_holder AND d.attempt_count = e.number - 1
      AND (e.trigger <> 'AUTOMATIC' OR d.status = 'PENDING')
    RETURNING d.status, d.next_attempt_at, e.*
  ),
  attempt AS (
    INSERT INTO delivery_attempts
      (tenant_id, environment, delivery_id, number, trigger, started_at, duration_ms, status_code, error_code, response,
        response_headers, reply_message_id, reply_problem)
    SELECT e.tenant_id, e.environment, e.id, e.number, e.trigger, e.started_at, e.duration_ms, e.status_code, e.error_code, e.response,
      e.response_headers, ${replyMessageId}, ${replyProblem}
    FROM recorded e WHERE NOT e.is_first_success
  ),
  counted AS (
    SELECT e.tenant_id, e.environment, e.webhook_id, e.started_at, e.place, e.is_success, e.is_probe, e.gone_url,
      NOT e.is_success AND e.trigger = 'AUTOMATIC' AS is_failure,
      max(e.place) FILTER (WHERE e.is_success) OVER (PARTITION BY e.tenant_id, e.environment, e.webhook_id) AS last_success
    FROM recorded e
  ),
  tally AS MATERIALIZED (
    SELECT tenant_id, environment, webhook_id, bool_or(is_success) AS has_success, bool_or(is_failure) AS has_failure, array_agg(gone_url) AS gone_urls,
      count(*) FILTER (WHERE is_failure AND NOT is_probe AND place > coalesce(last_success, 0))::int AS early_failures,
      count(*) FILTER (WHERE is_failure AND is_probe AND place > coalesce(last_success, 0))::int AS probe_failures
    FROM counted GROUP BY tenant_id, environment, webhook_id
    HAVING bool_or(is_success OR is_failure OR gone_url IS NOT NULL)
  ),
  streak AS MATERIALIZED (
    SELECT s.*, s.probe_failures
      + greatest(s.failures_before, least(s.failures_before + s.early_failures, ${disableAfterFailures - 1})) AS failures
    FROM (
      SELECT t.*, CASE WHEN t.has_success THEN 0 ELSE w.consecutive_failures END AS failures_before
      FROM tally t JOIN locked w ON ${sameWebhook("w", "t")}
    ) s
  ),
  counter AS (
    UPDATE webhooks w SET
      consecutive_failures = s.failures,
      probe_after = CASE
        WHEN NOT s.has_success AND NOT s.has_failure THEN w.probe_after
        WHEN s.failures >= ${probeAfterFailures} THEN ${now} + make_interval(secs => ${p.probeSeconds})
      END,
      gone_version = CASE WHEN w.status = 'ENABLED' AND w.url = ANY (s.gone_urls) THEN w.updated_at ELSE w.gone_version END,
      last_success_at = CASE WHEN s.has_success THEN ${now} ELSE w.last_success_at END,
      last_failure_at = CASE WHEN s.has_failure THEN ${now} ELSE w.last_failure_at END
    FROM streak s WHERE ${isWebhookOf("w", "s")}
    RETURNING w.tenant_id, w.environment, w.id AS webhook_id, w.consecutive_failures
  ),
  warning AS (
    INSERT INTO webhook_warnings (tenant_id, environment, webhook_id, failures, created_at)
    SELECT s.tenant_id, s.environment, s.webhook_id, mark, ${now}
    FROM streak s JOIN unnest(ARRAY[${warnAfterFailures.join(", ")}]) AS mark ON s.failures_before < mark AND s.failures >= mark
    ON CONFLICT DO NOTHING
  ),
  -- For the tenants' usage. After the webhooks, so that all processes take these locks in the same order.
  attempt_day AS (
    INSERT INTO delivery_days AS a (tenant_id, environment, day, attempts, failures)
    SELECT tenant_id, environment, (started_at AT TIME ZONE 'UTC')::date AS day, count(*), count(*) FILTER (WHERE NOT is_success)
    FROM counted WHERE (SELECT count(*) FROM counter) IS NOT NULL
    GROUP BY tenant_id, environment, day ORDER BY tenant_id, environment, day
    ON CONFLICT (tenant_id, environment, day) DO UPDATE SET
      attempts = a.attempts + excluded.attempts, failures = a.failures + excluded.failures
    RETURNING 1
  ),
  -- For the charts of a webhook.
  attempt_hour AS (
    INSERT INTO webhook_hours AS a (tenant_id, environment, webhook_id, hour, attempts, failures)
    SELECT tenant_id, environment, webhook_id, date_trunc('hour', started_at, 'UTC') AS hour, count(*), count(*) FILTER (WHERE NOT is_success)
    FROM counted WHERE (SELECT count(*) FROM attempt_day) IS NOT NULL
    GROUP BY tenant_id, environment, webhook_id, hour ORDER BY tenant_id, environment, webhook_id, hour
    ON CONFLICT (tenant_id, environment, webhook_id, hour) DO UPDATE SET
      attempts = a.attempts + excluded.attempts, failures = a.failures + excluded.failures
  )`;
}

export const recordAttemptsStatement = sql(
  "record_attempts",
  attemptParameters,
  (p) => `
  WITH ${recording(p, withoutReply)}
  ${result("NULL")}`,
);

/**
 * Records one successful attempt whose response had a reply, and posts the reply as a message of the
 * conversation's agent. An event gets at most one reply: the message's id is made from the event's,
 * and the message is posted only if the attempt is recorded.
 *
 * `WITH RECURSIVE` only lets parts refer to later ones. The conversation is locked before the
 * webhook, as in every other change, so the two never wait for each other. The event's payload is
 * assembled as in `postMessageStatement`. If the conversation does not accept the message, the
 * attempt says why.
 */
export const recordReplyStatement = sql(
  "record_reply",
  {
    ...attemptParameters,
    ...changeParameters,
    ...eventParameters,
    conversationId: "text",
    /** The message that it replies to. */
    questionId: "text",
    messageId: "text",
    text: "text",
    externalId: "text",
    /** The day of the message's id, if it is over. */
    lateDay: "date?",
    preview: "text",
    fromSequenceToAuthorId: "text",
    payloadFromTimestamp: "text",
    payloadFromAuthor: "text",
    payloadEnd: "text",
  },
  (p) => `
  WITH RECURSIVE target AS MATERIALIZED (
    SELECT status, message_count + 1 AS sequence, greatest(${p.at}, updated_at) AS at,
      channel_id, tags, priority, assignee_id, agent_id FROM conversations
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.conversationId}
      AND ${withLockTimeout(p.lockTimeout)}
    FOR NO KEY UPDATE
  ),
  -- Locked, because an erasure for which the conversation's lock was awaited may have redacted it.
  question AS MATERIALIZED (
    SELECT redacted_at FROM messages
    WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.questionId} AND (SELECT count(*) FROM target) IS NOT NULL
    FOR SHARE
  ),
  -- Locked, so that the count of that day comes before or after.
  tenant AS MATERIALIZED (
    SELECT counted_until FROM tenants WHERE ${p.lateDay} IS NOT NULL AND id = ${p.tenantId} AND (SELECT count(*) FROM target) IS NOT NULL FOR SHARE
  ),
  existing AS MATERIALIZED (
    SELECT 1 FROM messages WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.messageId}
  ),
  ${recording(p, {
    hasReply: true,
    lockAfter:
      "(SELECT count(*) FROM target) IS NOT NULL AND (SELECT count(*) FROM tenant) IS NOT NULL",
    replyMessageId: `CASE WHEN EXISTS (SELECT 1 FROM message) OR (SELECT problem FROM outcome) = 'already_replied' THEN ${p.messageId} END`,
    replyProblem: "(SELECT problem FROM outcome)",
  })},
  message AS (
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, author_id, author_name,
      text, external_id, metadata, created_at)
    SELECT ${p.tenantId}, ${p.environment}, ${p.messageId}, ${p.conversationId}, t.sequence, 'OUTBOUND', 'AGENT', t.agent_id, a.name,
      ${p.text}, ${p.externalId}, '{}', t.at
    FROM recorded CROSS JOIN target t
    LEFT JOIN agents a ON a.tenant_id = ${p.tenantId} AND a.environment = ${p.environment} AND a.id = t.agent_id
    WHERE t.status <> 'CLOSED' AND NOT EXISTS (SELECT 1 FROM question WHERE redacted_at IS NOT NULL)
    ON CONFLICT (tenant_id, environment, id) DO NOTHING
    RETURNING sequence, author_id, author_name, created_at AS at
  ),
  -- A reply can be posted after its day was counted.
  late_usage AS (
    INSERT INTO conversation_days AS u (tenant_id, environment, day, conversations_created, messages_received, messages_sent)
    SELECT ${p.tenantId}, ${p.environment}, ${p.lateDay}, 0, 0, 1 FROM message CROSS JOIN tenant WHERE counted_until > ${p.lateDay}
    ON CONFLICT (tenant_id, environment, day) DO UPDATE SET messages_sent = u.messages_sent + 1
  ),
  outcome AS (
    SELECT CASE
      WHEN EXISTS (SELECT 1 FROM message) THEN NULL
      WHEN EXISTS (SELECT 1 FROM existing) THEN 'already_replied'
      WHEN NOT EXISTS (SELECT 1 FROM target) THEN 'conversation_deleted'
      WHEN (SELECT status FROM target) = 'CLOSED' THEN 'conversation_closed'
      WHEN EXISTS (SELECT 1 FROM question WHERE redacted_at IS NOT NULL) THEN 'message_redacted'
      ELSE 'already_replied'
    END AS problem
  ),
  go AS (
    SELECT m.*, channel_id, tags, priority, assignee_id, agent_id, m.sequence || ${p.fromSequenceToAuthorId} || coalesce(to_json(author_id)::text, 'null')
      || ',"name":' || coalesce(to_json(author_name)::text, 'null') AS own,
      to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at_text
    FROM message m CROSS JOIN target
  ),
  conversation AS (
    UPDATE conversations SET message_count = go.sequence, updated_at = go.at, last_message_at = go.at, last_message_preview = ${p.preview}
    FROM go WHERE tenant_id = ${p.tenantId} AND environment = ${p.environment} AND id = ${p.conversationId}
  ),
  ${writeEvents(p, {
    conversations: filterableRow("go"),
    payload: `e.payload || go.at_text || ${p.payloadFromTimestamp} || go.own || ${p.payloadFromAuthor} || go.at_text || ${p.payloadEnd}`,
    at: "go.at",
  })}
  ${result("ARRAY(SELECT id FROM delivery)")}`,
);
