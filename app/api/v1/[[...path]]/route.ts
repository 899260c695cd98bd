import { dispatch } from "@/lib/api/dispatch";
import { toResponse, wireOfJoinedHeaders } from "@/lib/api/pipeline";

// Serves the API where server/edge is not in front: with `next dev` and on serverless hosts.
// next.config.js rewrites every request below /v1 to this route, so that unknown paths and wrong
// methods get the same responses.
const handle = async (request: Request) =>
  toResponse(await dispatch(request, wireOfJoinedHeaders(request)));

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
