// The floor of the benchmarks: node:http and pg with the product's own statements and nothing else.
// No authentication beyond looking up the key, no limits, no validation beyond one field, no
// idempotency beyond writing and reading a record, no events beyond their rows.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { listConversationsStatement } from "@/lib/conversations/list.sql";
import { postMessageStatement } from "@/lib/conversations/messages.sql";
import {
  conversationColumns,
  createConversationStatement,
  createReferringConversationStatement,
} from "@/lib/conversations/service.sql";
import { findToUpdateStatement, updateConversationStatement } from "@/lib/conversations/update.sql";
import { findByExternalIdStatement } from "@/lib/customers/service.sql";
import { newId } from "@/lib/resources/ids";
import type { Environment } from "@/prisma/generated/enums";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const findKey = {
  name: "find_key",
  text: "SELECT tenant_id, environment, revoked_at, expires_at FROM api_keys WHERE hash = $1",
};
const findAnswer = {
  name: "find_stored_response",
  text: `SELECT status, body FROM idempotency_records WHERE tenant_id = $1 AND environment = $2::"Environment" AND key = $3`,
};
const findConversation = {
  name: "find_conversation",
  text: `SELECT ${conversationColumns} FROM conversations WHERE tenant_id = $1 AND environment = $2::"Environment" AND id = $3`,
};
const isKeyCached = process.env.FLOOR_KEY === "cached";
type Owner = { tenant_id: string; environment: Environment };
const known = new Map<string, Owner>();

async function keyOf(authorization = ""): Promise<Owner | undefined> {
  const cached = known.get(authorization);
  if (cached) return cached;
  const hash = createHash("sha256").update(authorization.slice("Bearer ".length)).digest();
  const [row] = (await pool.query({ ...findKey, values: [hash] })).rows;
  if (isKeyCached && row) known.set(authorization, row);
  return row;
}

/** @throws if the load generator has disconnected. */
async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

async function list({ tenant_id, environment }: Owner): Promise<string> {
  const partition = { tenantId: tenant_id, environment };
  const { rows } = await pool.query(
    listConversationsStatement(partition, { limit: 20, order: "desc" }),
  );
  return JSON.stringify({ data: rows });
}

async function get({ tenant_id, environment }: Owner, id: string): Promise<string> {
  const { rows } = await pool.query({ ...findConversation, values: [tenant_id, environment, id] });
  return JSON.stringify(rows[0]);
}

/** @returns null if the body has no channel. */
async function createConversation(
  { tenant_id, environment }: Owner,
  text: string,
  key: string | undefined,
): Promise<string | null> {
  const { channelId, customer: named } = JSON.parse(text);
  if (!channelId) return null;
  const partition = { tenantId: tenant_id, environment };
  const customer =
    named && (await pool.query(findByExternalIdStatement.one({ ...partition, ...named }))).rows[0];
  const at = new Date();
  const conversation = {
    id: newId("conversation", at),
    environment,
    status: "OPEN",
    channelId,
    customerId: customer?.id ?? null,
    priority: "NORMAL",
    createdAt: at,
  };
  const event = {
    id: newId("event", at),
    type: "conversation.created",
    data: { object: conversation },
  };
  const body = JSON.stringify(conversation);
  const values = {
    ...(key && recordOf(key, text, body, at)),
    ...partition,
    at,
    eventId: event.id,
    eventType: event.type,
    eventPayload: JSON.stringify(event),
    conversationId: conversation.id,
    channelId,
    priority: "NORMAL",
    tags: [],
    metadata: "{}",
  } as const;
  await pool.query(
    customer
      ? createReferringConversationStatement.one({
          ...values,
          customerId: customer.id,
          customerName: customer.name,
          customerExternalId: customer.externalId,
          isNewCustomer: false,
        })
      : createConversationStatement.one(values),
  );
  return body;
}

async function changeConversation(
  { tenant_id, environment }: Owner,
  id: string,
  body: string,
): Promise<string> {
  const partition = { tenantId: tenant_id, environment };
  const [found] = (await pool.query(findToUpdateStatement.one({ ...partition, id }))).rows;
  const at = new Date();
  const { version, ...before } = found;
  const after = { ...before, ...JSON.parse(body), updatedAt: at };
  const event = { id: newId("event", at), type: "conversation.updated", data: { object: after } };
  await pool.query(
    updateConversationStatement.one({
      ...after,
      ...partition,
      version,
      at,
      metadata: JSON.stringify(after.metadata),
      eventId: event.id,
      eventType: event.type,
      eventPayload: JSON.stringify(event),
    }),
  );
  return JSON.stringify(after);
}

const recordOf = (key: string, request: string, responseBody: string, at: Date) => ({
  idempotencyKey: key,
  fingerprint: createHash("sha256").update(request).digest(),
  responseStatus: 201,
  responseBody,
  recordExpiresAt: new Date(at.getTime() + 86_400_000),
});

async function postMessage(
  { tenant_id, environment }: Owner,
  conversationId: string,
  body: string,
): Promise<string> {
  const { text } = JSON.parse(body);
  const at = new Date();
  const message = {
    id: newId("message", at),
    environment,
    conversationId,
    direction: "INBOUND",
    text,
  };
  const event = { id: newId("event", at), type: "message.received" };
  const start = `${JSON.stringify(message).slice(0, -1)},"sequence":`;
  const { rows } = await pool.query(
    postMessageStatement.one({
      tenantId: tenant_id,
      environment,
      at,
      eventId: event.id,
      eventType: event.type,
      eventPayload: `{"id":"${event.id}","timestamp":"`,
      conversationId,
      messageId: message.id,
      direction: "INBOUND",
      authorType: "CUSTOMER",
      text,
      metadata: "{}",
      preview: text,
      fromSequenceToAuthorId: ',"author":{"type":"CUSTOMER","id":',
      bodyFromAuthor: '},"createdAt":"',
      bodyEnd: "",
      payloadFromTimestamp: `","data":{"object":${start}`,
      payloadFromAuthor: '},"createdAt":"',
      payloadEnd: '"},',
      payloadFromAgent: "}}",
    }),
  );
  return `${start}${rows[0].own}},"createdAt":"${rows[0].createdAt}"}`;
}

async function replay({ tenant_id, environment }: Owner, key: string): Promise<string | undefined> {
  const [row] = (await pool.query({ ...findAnswer, values: [tenant_id, environment, key] })).rows;
  return row?.body;
}

const server = createServer(async (request, response) => {
  const owner = await keyOf(request.headers.authorization);
  const send = (status: number, body: string) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);
  if (!owner) return send(401, '{"title":"Unauthorized"}');
  const [conversationId] = /cnv_[0-9A-Z]{26}/.exec(request.url ?? "") ?? [];
  if (request.method === "GET")
    return send(200, await (conversationId ? get(owner, conversationId) : list(owner)));
  const text = await readBody(request).catch(() => null);
  if (text === null) return;
  if (conversationId && request.method === "PATCH")
    return send(200, await changeConversation(owner, conversationId, text));
  if (conversationId) return send(201, await postMessage(owner, conversationId, text));
  const key = request.headers["idempotency-key"]?.toString();
  const isReplay = key === "replay";
  const stored = isReplay ? await replay(owner, key) : undefined;
  // The record that is replayed is the product's own.
  const created = stored ?? (await createConversation(owner, text, isReplay ? undefined : key));
  send(created ? 201 : 422, created ?? '{"title":"Unprocessable"}');
});
server.listen(Number(process.env.PORT), "127.0.0.1");
