import { version } from "@/sdk/src/version";

/** The newest client: `npm install <this address>`. */
export const GET = () =>
  new Response(null, {
    status: 302,
    headers: { Location: `/sdk/${version}.tgz`, "Cache-Control": "no-store" },
  });

export const dynamic = "force-dynamic";
