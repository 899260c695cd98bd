import { unstable_rethrow } from "next/navigation";
import { problemResponse } from "@/app/api/dashboard/json-route";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { listNotifications } from "@/lib/notifications/service";

type Context = { params: Promise<{ tenant: string; environment: string }> };

/** What the bell shows. Not a server action, because a browser sends those one after the other. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { tenant, environment } = await params;
  try {
    const { caller, user } = await dashboardCaller(tenant, environment);
    // Every open page asks, so this does not count against the organization's limit.
    await throttleDashboard(user.id, null);
    const unread = await listNotifications(caller, { isUnread: true });
    const shown = unread.map(({ id, page, sentence }) => ({ id, page, sentence }));
    return Response.json(shown, { headers: { "Cache-Control": "no-store" } });
  } catch (error) {
    // Next throws redirects and not-found pages, too.
    unstable_rethrow(error);
    return problemResponse(error, request);
  }
}
