import { z } from "zod";
import { parse } from "@/app/(dashboard)/run-action";
import { type PlaceParams, respondWithJson } from "@/app/api/dashboard/json-route";
import { apiCallSamples } from "@/app/docs/reference/api-call-samples";
import type { ApiCall } from "@/components/shell/api-call";
import { readJsonBody } from "@/lib/api/read-request";
import { env } from "@/lib/platform/env";
import { invalidBody } from "@/lib/platform/errors";

const sentCall = z.strictObject({
  operationId: z.string().max(100),
  ids: z.record(z.string().max(100), z.string().max(255)).optional(),
  body: z.record(z.string(), z.json()),
  file: z.string().max(255).optional(),
});

/** Writes the request of a form as code, for "Show as API call". */
export async function POST(
  request: Request,
  { params }: { params: Promise<PlaceParams> },
): Promise<Response> {
  return respondWithJson(request, await params, async ({ user }) => {
    const { value } = await readJsonBody(request);
    const { operationId, ids, body, file } = parse(sentCall, value);
    const writer = { type: "USER", id: user.id, name: user.name };
    const call = { operationId, ids, body: withAuthor(body, writer), file } as ApiCall;
    const samples = apiCallSamples(call, env().APP_URL);
    if (!samples) throw invalidBody("/operationId", "unknown", "must be an operation of the API");
    return samples;
  });
}

type Body = z.output<typeof sentCall>["body"];

/** What a member writes in the dashboard is theirs: the author of a message, or of the first one. */
function withAuthor(body: Body, writer: Record<string, string>): Body {
  const { author, message } = body;
  if (author) return { ...body, author: writer };
  if (message && typeof message === "object" && "author" in message)
    return { ...body, message: { ...message, author: writer } };
  return body;
}
