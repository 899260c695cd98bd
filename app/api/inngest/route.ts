import { serve } from "inngest/next";
import type { NextRequest } from "next/server";
import { webFunctions } from "@/inngest";
import { inngest } from "@/inngest/client";
import { env } from "@/lib/platform/env";

export const dynamic = "force-dynamic";

let served: ReturnType<typeof serve> | undefined;

/**
 * Inngest calls the functions here. With the embedded clock, and where the worker runs the functions,
 * this path is a 404.
 */
async function handle(request: NextRequest): Promise<Response> {
  const { JOBS, INNGEST_FUNCTIONS, APP_URL, INNGEST_SERVE_ORIGIN = APP_URL } = env();
  if (JOBS !== "inngest" || INNGEST_FUNCTIONS !== "web")
    return new Response("Not found", { status: 404 });
  // A request to register need not be signed, so its Host header must not determine the address
  // that Inngest calls.
  served ??= serve({
    client: inngest(),
    functions: webFunctions(),
    serveOrigin: INNGEST_SERVE_ORIGIN,
  });
  return served(request, undefined);
}

export { handle as GET, handle as POST, handle as PUT };
