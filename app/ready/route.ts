import { readiness } from "@/lib/readiness";

/** Readiness: 200 where the database can be reached, 503 otherwise. */
export async function GET() {
  const state = await readiness();
  return Response.json(state, { status: state.status === "ready" ? 200 : 503 });
}

export const dynamic = "force-dynamic";
