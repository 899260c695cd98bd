import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { listNotifications } from "@/lib/notifications/service";

type Context = { params: Promise<{ tenant: string; environment: string }> };

/** What the bell shows. Not a server action, because a browser sends those one after the other. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { tenant, environment } = await params;
  const { caller } = await dashboardCaller(tenant, environment);
  const unread = await listNotifications(caller, { isUnread: true });
  const shown = unread.map(({ id, page, sentence }) => ({ id, page, sentence }));
  return Response.json(shown, { headers: { "Cache-Control": "no-store" } });
}
