// @ts-nocheck: its packages are installed only for `npm run bench -- --peers`.
// BullMQ doing what one worker of Parlance does: signed POSTs from a backlog, each result recorded
// in PostgreSQL. Prints jobs per second, from the first arrival until the last one is recorded.
import { createHmac } from "node:crypto";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { Pool } from "undici";

const { url, redisPort, databaseUrl, count, atOnce, body } = JSON.parse(process.argv[2]);
const connect = () => new Redis(redisPort, "127.0.0.1", { maxRetriesPerRequest: null });
const [connection, blocking] = [connect(), connect()];
const database = new pg.Pool({ connectionString: databaseUrl, max: 16 });
await database.query(
  "CREATE TABLE IF NOT EXISTS results (id bigserial PRIMARY KEY, job text NOT NULL, status int NOT NULL, ms int NOT NULL, at timestamptz NOT NULL)",
);
const queue = new Queue("webhooks", { connection });
await queue.obliterate({ force: true });
const options = { attempts: 8, backoff: { type: "exponential", delay: 5_000 } };
for (let left = count; left > 0; left -= 1_000)
  await queue.addBulk(
    Array.from({ length: Math.min(left, 1_000) }, () => ({
      name: "deliver",
      data: { body },
      opts: { ...options, removeOnComplete: true },
    })),
  );

const receiver = new Pool(new URL(url).origin, { connections: atOnce });
let startedAt = 0;
let done = 0;
await new Promise((resolve, reject) => {
  const worker = new Worker("webhooks", deliver, { connection: blocking, concurrency: atOnce });
  worker.on("failed", (_job, error) => reject(error));
  worker.on("completed", () => {
    done++;
    if (done === count) worker.close().then(resolve);
  });
});

async function deliver(job) {
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac("sha256", "whsec_secret")
    .update(`${timestamp}.${job.data.body}`)
    .digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-service-signature": `t=${timestamp},v1=${signature}`,
  };
  const sentAt = performance.now();
  startedAt ||= sentAt;
  const response = await receiver.request({
    method: "POST",
    path: "/",
    headers,
    body: job.data.body,
  });
  await response.body.dump();
  await database.query({
    name: "record",
    text: "INSERT INTO results (job, status, ms, at) VALUES ($1, $2, $3, now())",
    values: [job.id, response.statusCode, Math.round(performance.now() - sentAt)],
  });
}

process.stdout.write(String(count / ((performance.now() - startedAt) / 1_000)));
process.exit();
