import { probes } from "@/lib/readiness/service";

/** Readiness: 200 if the database can be reached, 503 otherwise. */
export async function GET() {
  const { status, body } = await probes["/ready"]();
  return Response.json(body, { status });
}

export const dynamic = "force-dynamic";
