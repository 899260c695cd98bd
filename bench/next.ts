import { createServer } from "node:http";
import { env } from "@/lib/platform/env";
import { nextPagesOnDemand } from "@/server/next-pages";

// The API served by Next itself, as on a serverless host. There, the edge in server/ is not in
// front, unlike with `next start`.
const { PORT } = env();
const hostname = "127.0.0.1";
createServer(nextPagesOnDemand({ hostname, port: PORT })).listen(PORT, hostname);
