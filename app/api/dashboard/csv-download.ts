import { unstable_rethrow } from "next/navigation";
import { dashboardPlace, type Place } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import type { Caller } from "@/lib/platform/caller";
import { csvStart, toCsvLine } from "@/lib/platform/csv";
import { readFromReplica } from "@/lib/platform/replica";
import { RoleMissing } from "@/lib/platform/roles";
import { type PlaceParams, problemResponse } from "./json-route";

type Table = { name: string; rows: (string | number)[][] };

/**
 * Sends a table as a CSV file. Links lead here, so users who are signed out are redirected to sign
 * in.
 */
export async function downloadCsv(
  request: Request,
  params: PlaceParams,
  makeTable: (caller: Caller, place: Place) => Promise<Table>,
): Promise<Response> {
  try {
    const place = await dashboardPlace(params.tenant, params.environment);
    await throttleDashboard(place.user.id, place.tenant.id);
    const { name, rows } = await readFromReplica(place.identity, (caller) =>
      makeTable(caller, place),
    );
    const headers = {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "Cache-Control": "private, no-store",
    };
    return new Response(csvStart + rows.map(toCsvLine).join(""), { headers });
  } catch (error) {
    // Next throws redirects and not-found pages, too.
    unstable_rethrow(error);
    if (error instanceof RoleMissing)
      return Response.json({ status: 403, detail: error.detail }, { status: 403 });
    return problemResponse(error, request);
  }
}
