import { respondToMcp } from "@/lib/api/mcp";
import { toResponse } from "@/lib/api/pipeline";

// Serves the Model Context Protocol where server/edge is not in front: with `next dev` and on
// serverless hosts.
const handle = async (request: Request) => toResponse(await respondToMcp(request));

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

export const dynamic = "force-dynamic";
