// The floor of the benchmarks: node:http and pg with the very statements of the product, and nothing else. No
// authentication beyond the look-up of the key, no limits, no validation, no idempotency, no events beyond their rows.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import pg from "pg";
import { createConversationStatement, listConversationsStatement } from "@/lib/conversations/service.sql";
import { newId } from "@/lib/ids";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
const findKey = { name: "find_key", text: "SELECT tenant_id, environment, revoked_at, expires_at FROM api_keys WHERE hash = $1" };
const isKeyCached = process.env.FLOOR_KEY === "cached";
const known = new Map<string, { tenant_id: string; environment: string }>();

async function keyOf(authorization = ""): Promise<{ tenant_id: string; environment: string }> {
  const cached = known.get(authorization);
  if (cached) return cached;
  const hash = createHash("sha256").update(authorization.slice("Bearer ".length)).digest();
  const [row] = (await pool.query({ ...findKey, values: [hash] })).rows;
  if (isKeyCached) known.set(authorization, row);
  return row;
}

/** @throws where the load generator has hung up. */
async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

const server = createServer(async (request, response) => {
  const { tenant_id, environment } = await keyOf(request.headers.authorization);
  if (request.method === "GET") {
    const { statement, values } = listConversationsStatement(tenant_id, environment, { limit: 20, order: "desc" });
    const { rows } = await pool.query({ ...statement, values });
    return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ data: rows }));
  }
  const text = await readBody(request).catch(() => null);
  if (text === null) return;
  const { channelId } = JSON.parse(text);
  const at = new Date();
  const conversation = { id: newId("conversation", at), environment, status: "OPEN", channelId, priority: "NORMAL", createdAt: at };
  const event = { id: newId("event", at), type: "conversation.created", data: { object: conversation } };
  await pool.query({
    ...createConversationStatement,
    values: [
      ...[tenant_id, environment, at, null, null, null, null, null, [event.id], [event.type], [JSON.stringify(event)]],
      ...[conversation.id, channelId, null, "NORMAL", [], "{}", null, null, null, null, null, null, null, null, null, null],
    ],
  });
  response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(conversation));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
