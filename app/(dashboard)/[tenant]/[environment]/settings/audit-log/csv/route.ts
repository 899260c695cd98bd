import { csvResponse, recordExport, refusal } from "@/app/(dashboard)/csv-response";
import { readViewerTime } from "@/app/(dashboard)/read-viewer-time";
import { parse } from "@/app/(dashboard)/run-action";
import { auditCsvHead, auditCsvLine } from "@/lib/audit/entry-csv";
import { listAuditQuery } from "@/lib/audit/schema";
import { type AuditEntry, exportAuditEntries } from "@/lib/audit/service";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { replicaReader } from "@/lib/platform/replica";
import { requireRole } from "@/lib/platform/roles";

type Context = { params: Promise<{ tenant: string; environment: string }> };

/** Exports every entry that matches the page's filters, also the one about this export. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { tenant: slug, environment: name } = await params;
  const [{ caller, tenant, user, identity }, { zone }] = await Promise.all([
    dashboardCaller(slug, name),
    readViewerTime(),
  ]);
  try {
    await throttleDashboard(user.id, tenant.id);
    requireRole(caller, "ADMIN", "read the audit log");
    const filters = Object.fromEntries(new URL(request.url).searchParams);
    const query = parse(listAuditQuery(zone), filters, "query");
    await recordExport(identity, { action: "audit_log.exported", targetId: tenant.id }, filters);
    // Chosen after the write, so that it can read it.
    const batches = exportAuditEntries(await replicaReader(caller), query);
    return csvResponse(`audit-log-${tenant.slug}`, toCsv(batches));
  } catch (error) {
    const refused = refusal(error);
    if (refused) return refused;
    throw error;
  }
}

async function* toCsv(batches: AsyncIterable<AuditEntry[]>) {
  yield auditCsvHead;
  for await (const entries of batches) yield entries.map(auditCsvLine).join("");
}
