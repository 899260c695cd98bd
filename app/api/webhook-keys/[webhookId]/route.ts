import { publicKeysOf } from "@/lib/webhooks/public-keys";

/** Served at `/.well-known/webhook-keys/{webhookId}` (next.config.js). Needs no key. */
export async function GET(
  _request: Request,
  { params }: { params: Promise<{ webhookId: string }> },
): Promise<Response> {
  const { webhookId } = await params;
  const keys = await publicKeysOf(webhookId);
  if (!keys)
    return Response.json(
      { error: "This webhook does not exist, or has no asymmetric signatures." },
      { status: 404, headers: { "Cache-Control": "no-store" } },
    );
  // Shorter than any overlap of two keys that a rotation is likely to have.
  return Response.json(keys, { headers: { "Cache-Control": "public, max-age=300" } });
}

export const dynamic = "force-dynamic";
