import { dispatch } from "@/lib/api/dispatch";
import { toResponse, wireOfJoinedHeaders } from "@/lib/api/pipeline";

// For where server/edge is not in front, `next dev` and serverless hosts: next.config.js leads
// every request below /v1 here, so that unknown paths and wrong methods get the same responses.
const answer = async (request: Request) =>
  toResponse(await dispatch(request, wireOfJoinedHeaders(request)));

export {
  answer as DELETE,
  answer as GET,
  answer as HEAD,
  answer as OPTIONS,
  answer as PATCH,
  answer as POST,
  answer as PUT,
};

export const dynamic = "force-dynamic";
