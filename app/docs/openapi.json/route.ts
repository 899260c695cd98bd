import { publishedDocument } from "@/lib/api/openapi";

/** The OpenAPI document, for programs of any origin. */
export const GET = () =>
  new Response(JSON.stringify(publishedDocument()), {
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=300",
      "Access-Control-Allow-Origin": "*",
    },
  });

export const dynamic = "force-dynamic";
