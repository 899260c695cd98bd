import { probes } from "@/lib/readiness/service";

/** Liveness: this process responds. */
export async function GET() {
  const { status, body } = await probes["/health"]();
  return Response.json(body, { status });
}

export const dynamic = "force-dynamic";
