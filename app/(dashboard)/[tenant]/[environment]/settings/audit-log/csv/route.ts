import { parse } from "@/app/(dashboard)/run-action";
import { auditCsvHead, auditCsvLine } from "@/lib/audit/entry-csv";
import { listAuditQuery } from "@/lib/audit/schema";
import { type AuditEntry, exportAuditEntries } from "@/lib/audit/service";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { replicaReader } from "@/lib/platform/replica";
import { requireRole } from "@/lib/platform/roles";

type Context = { params: Promise<{ tenant: string; environment: string }> };

/** Exports every entry that matches the page's filters. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { tenant: slug, environment: name } = await params;
  const { caller, tenant } = await dashboardCaller(slug, name);
  try {
    requireRole(caller, "ADMIN", "read the audit log");
    const query = parse(
      listAuditQuery,
      Object.fromEntries(new URL(request.url).searchParams),
      "query",
    );
    const batches = exportAuditEntries(await replicaReader(caller), query);
    return csvResponse(`audit-log-${tenant.slug}`, toCsv(batches));
  } catch (error) {
    if (error instanceof RoleMissing) return new Response(error.detail, { status: 403 });
    if (error instanceof AppError && error.status === 422)
      return new Response(error.detail, { status: 422 });
    throw error;
  }
}

/** Reads only as fast as the client receives, and stops when it disconnects. */
function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return(undefined)),
  });
}

async function* toCsv(batches: AsyncIterable<AuditEntry[]>) {
  const encoder = new TextEncoder();
  yield encoder.encode(auditCsvHead);
  for await (const entries of batches) yield encoder.encode(entries.map(auditCsvLine).join(""));
}
