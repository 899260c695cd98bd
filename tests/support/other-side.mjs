// The client of the API and the receiver of webhooks, as a thread: what it allocates does not count
// as the product's.
import { Agent, createServer, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} Sent */

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let arrived = 0;
let awaited = Number.POSITIVE_INFINITY;

const receiver = createServer((incoming, response) => {
  incoming.resume().on("end", () => {
    response.end("ok");
    arrived++;
    if (arrived === awaited) parentPort?.postMessage(arrived);
  });
});
receiver.listen(0, "127.0.0.1", () => parentPort?.postMessage(receiver.address()));

parentPort?.on("message", async (/** @type {Sent[] | number} */ order) => {
  if (typeof order === "number") {
    awaited = order;
    if (arrived >= awaited) parentPort?.postMessage(arrived);
    return;
  }
  const statuses = [];
  for (const sent of order) statuses.push(await send(sent));
  parentPort?.postMessage(statuses);
});

/** @param {Sent} sent @returns {Promise<number | undefined>} the status */
function send({ method, path, headers, body }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${workerData}${path}`, { agent, method, headers }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    outgoing.on("error", reject).end(body);
  });
}
