// Responds to every POST immediately, and to GET with how many came since the last GET, and when
// the first and the last of them did.
import { createServer } from "node:http";

let count = 0;
let firstAtMs = 0;
let lastAtMs = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ count, firstAtMs, lastAtMs }));
    count = 0;
    return;
  }
  request.resume();
  request.on("end", () => {
    lastAtMs = Date.now();
    if (count++ === 0) firstAtMs = lastAtMs;
    response.end("ok");
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), "127.0.0.1");
