import { wheelName } from "@/components/docs/wheel-name";

/** The newest Python client. pip takes only the address to which this leads, which has its name. */
export const GET = () =>
  new Response(null, {
    status: 302,
    headers: { Location: `/sdk/${wheelName}`, "Cache-Control": "no-store" },
  });

export const dynamic = "force-dynamic";
