// Responds to every POST immediately. `GET` returns when the first one since the last reset
// arrived, and how many have arrived. `GET /reset` resets the count to zero. With `ARRIVALS=yes`,
// it also records when each message arrived, and `GET /arrivals` returns these times.
import { createServer } from "node:http";
import { monotonicMs } from "./processes";

const isNoting = process.env.ARRIVALS === "yes";
let count = 0;
let firstAtMs = 0;
let arrivals: [messageId: string, atMs: number][] = [];

const server = createServer((request, response) => {
  if (request.method === "GET") {
    if (request.url === "/reset") {
      count = firstAtMs = 0;
      arrivals = [];
    }
    const figures = request.url === "/arrivals" ? arrivals : { count, firstAtMs };
    response.end(JSON.stringify(figures));
    return;
  }
  let body = "";
  if (isNoting) request.setEncoding("latin1").on("data", (part: string) => (body += part));
  else request.resume();
  request.on("end", () => {
    if (count++ === 0) firstAtMs = Date.now();
    if (isNoting) arrivals.push([/msg_[0-9A-Z]{26}/.exec(body)?.[0] ?? "", monotonicMs()]);
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), "127.0.0.1");
