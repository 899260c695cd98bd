import { serve } from "inngest/next";
import type { NextRequest } from "next/server";
import { inngestFunctions } from "@/inngest";
import { inngest } from "@/inngest/client";
import { env } from "@/lib/env";

export const dynamic = "force-dynamic";

let served: ReturnType<typeof serve> | undefined;

/** Where Inngest calls the functions. With the embedded clock there is nothing here. */
async function handle(request: NextRequest): Promise<Response> {
  if (env().JOBS !== "inngest") return new Response("Not found", { status: 404 });
  served ??= serve({ client: inngest(), functions: inngestFunctions() });
  return served(request, undefined);
}

export { handle as GET, handle as POST, handle as PUT };
