import { unstable_rethrow } from "next/navigation";
import { toProblem } from "@/lib/api/problem";
import { dashboardPlace, type Place } from "@/lib/auth/dashboard-caller";
import { currentUser } from "@/lib/auth/require-user";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { env } from "@/lib/platform/env";
import { AppError } from "@/lib/platform/errors";
import { RoleMissing } from "@/lib/platform/roles";
import { newId } from "@/lib/resources/ids";

export type PlaceParams = { tenant: string; environment: string };

/**
 * Runs a route that dashboard pages call with `fetch`, where no server action fits: checks that one
 * of our own pages sent the request, identifies the user and their role, and responds in JSON, with
 * problem details like the API's.
 */
export async function respondWithJson(
  request: Request,
  params: PlaceParams,
  work: (place: Place) => Promise<object>,
): Promise<Response> {
  let requestId = newId("request");
  try {
    if (!isOwnOrigin(request)) return refused("This request must come from a Parlance page.");
    if (!(await currentUser()))
      throw new AppError("unauthorized", "Your session has ended. Sign in and try again.");
    const place = await dashboardPlace(params.tenant, params.environment);
    requestId = place.identity.request?.id ?? requestId;
    await throttleDashboard(place.user.id, place.tenant.id);
    return Response.json(await work(place), { status: 201 });
  } catch (error) {
    // Next throws its not-found pages, too.
    unstable_rethrow(error);
    if (error instanceof RoleMissing) return refused(error.detail);
    return problemResponse(error, request, requestId);
  }
}

export function problemResponse(
  error: unknown,
  { url }: Request,
  requestId: string = newId("request"),
): Response {
  const { status, body, headers } = toProblem(error, new URL(url).pathname, requestId);
  return new Response(body, {
    status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}

/**
 * Old browsers send cookies with requests from other sites, too, but the origin header is reliable.
 */
function isOwnOrigin({ headers }: Request): boolean {
  const origin = headers.get("origin");
  if (!origin || !URL.canParse(origin)) return false;
  return new URL(origin).host === headers.get("host") || origin === new URL(env().APP_URL).origin;
}

const refused = (detail: string) => Response.json({ status: 403, detail }, { status: 403 });
