// The floor of the benchmarks: node:http and pg with the product's own statements and nothing else.
// No authentication beyond looking up the key, no limits, no validation, no idempotency except for
// replays, no events beyond their rows.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { postMessageStatement } from "@/lib/conversations/messages.sql";
import {
  createConversationStatement,
  listConversationsStatement,
} from "@/lib/conversations/service.sql";
import { newId } from "@/lib/resources/ids";
import type { Environment } from "@/prisma/generated/enums";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const findKey = {
  name: "find_key",
  text: "SELECT tenant_id, environment, revoked_at, expires_at FROM api_keys WHERE hash = $1",
};
const findAnswer = {
  name: "find_answer",
  text: `SELECT status, body FROM idempotency_records WHERE tenant_id = $1 AND environment = $2::"Environment" AND key = $3`,
};
const isKeyCached = process.env.FLOOR_KEY === "cached";
type Owner = { tenant_id: string; environment: Environment };
const known = new Map<string, Owner>();

async function keyOf(authorization = ""): Promise<Owner> {
  const cached = known.get(authorization);
  if (cached) return cached;
  const hash = createHash("sha256").update(authorization.slice("Bearer ".length)).digest();
  const [row] = (await pool.query({ ...findKey, values: [hash] })).rows;
  if (isKeyCached) known.set(authorization, row);
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

async function createConversation(
  { tenant_id, environment }: Owner,
  text: string,
): Promise<string> {
  const { channelId } = JSON.parse(text);
  const at = new Date();
  const conversation = {
    id: newId("conversation", at),
    environment,
    status: "OPEN",
    channelId,
    priority: "NORMAL",
    createdAt: at,
  };
  const event = {
    id: newId("event", at),
    type: "conversation.created",
    data: { object: conversation },
  };
  await pool.query(
    createConversationStatement({
      tenantId: tenant_id,
      environment,
      at,
      eventIds: [event.id],
      eventTypes: [event.type],
      eventPayloads: [JSON.stringify(event)],
      conversationId: conversation.id,
      channelId,
      priority: "NORMAL",
      tags: [],
      metadata: "{}",
    }),
  );
  return JSON.stringify(conversation);
}

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
    postMessageStatement({
      tenantId: tenant_id,
      environment,
      at,
      eventIds: [event.id],
      eventTypes: [event.type],
      eventPayloads: [`{"id":"${event.id}","timestamp":"`],
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
      payloadEnd: '"}}}',
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
  const answer = (status: number, body: string) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  if (request.method === "GET") return void answer(200, await list(owner));
  const text = await readBody(request).catch(() => null);
  if (text === null) return;
  const [conversationId] = /cnv_[0-9A-Z]{26}/.exec(request.url ?? "") ?? [];
  if (conversationId) return void answer(201, await postMessage(owner, conversationId, text));
  const stored =
    request.headers["idempotency-key"] === "replay" ? await replay(owner, "replay") : undefined;
  answer(201, stored ?? (await createConversation(owner, text)));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
