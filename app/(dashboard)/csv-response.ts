import type { AuditAction } from "@/lib/audit/actions";
import { recordAudit } from "@/lib/audit/service";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { type Caller, type Identity, mutate } from "@/lib/platform/caller";
import { csvStart, toCsvLine } from "@/lib/platform/csv";
import { AppError } from "@/lib/platform/errors";
import { replicaReader } from "@/lib/platform/replica";
import { RoleMissing } from "@/lib/platform/roles";
import type { Query } from "./dashboard-page";
import { requirePossibleIds } from "./require-possible-ids";

type Cell = string | number | null;

/** The columns of an export, by name. */
export type Columns<Item> = Record<string, (item: Item) => Cell>;

/**
 * More rows would be too many for a spreadsheet, and too long for one request. The last line of the
 * file then says so, as the page does.
 */
export const maximumExportedRows = 50_000;
const batchSize = 100;

type Export<Item> = {
  /** Of the file, without its ending. */
  name: string;
  columns: Columns<Item>;
  /** Reads a page of the list that the query filters, as the page does. */
  list: (page: {
    cursor: string | undefined;
    limit: number;
  }) => Promise<{ data: Item[]; nextCursor?: string | undefined }>;
  /** What the audit log says about it. */
  audit: { action: AuditAction; targetId?: string };
};

type Context<Part extends string> = {
  params: Promise<{ tenant: string; environment: string } & Record<Part, string>>;
};

/**
 * Makes a route that exports a list of the dashboard as CSV, up to `maximumExportedRows`, to users
 * who can see the page. It applies the page's filters and writes an entry in the audit log.
 */
export function csvRoute<Item, Part extends string = never>(
  exportOf: (
    caller: Caller,
    query: Query,
    params: Record<Part, string>,
  ) => Promise<Export<Item>> | Export<Item>,
) {
  // biome-ignore lint/correctness/noComponentHookFactories: it is a route, not a component.
  return async function GET(request: Request, { params }: Context<Part>): Promise<Response> {
    const { tenant: slug, environment: environmentName, ...further } = await params;
    requirePossibleIds(further);
    const { caller, tenant, environment, user, identity } = await dashboardCaller(
      slug,
      environmentName,
    );
    try {
      await throttleDashboard(user.id, tenant.id);
      const {
        cursor: _cursor,
        before: _before,
        limit: _limit,
        ...filters
      } = Object.fromEntries(new URL(request.url).searchParams) as Record<string, string>;
      const { name, columns, list, audit } = await exportOf(
        await replicaReader(caller),
        filters,
        further as unknown as Record<Part, string>,
      );
      await recordExport(identity, { targetId: tenant.id, ...audit }, filters);
      return csvResponse(`${name}-${tenant.slug}-${environment}`, toCsv(columns, list));
    } catch (error) {
      const refused = refusal(error);
      if (refused) return refused;
      throw error;
    }
  };
}

export async function recordExport(
  identity: Identity,
  { action, targetId }: { action: AuditAction; targetId: string },
  filters: Record<string, string>,
): Promise<void> {
  await mutate(identity, (writer) =>
    recordAudit(writer, {
      action,
      targetId,
      // Not their values: a search names customers, who could not be erased from the log.
      changes: { after: { filters: Object.keys(filters) } },
    }).then(() => undefined),
  );
}

/** The response if the user or the query does not allow the export. Null for all other errors. */
export function refusal(error: unknown): Response | null {
  if (error instanceof RoleMissing) return new Response(error.detail, { status: 403 });
  if (error instanceof AppError && error.status < 500)
    return new Response(error.detail, { status: error.status, headers: error.headers });
  return null;
}

export function csvResponse(name: string, lines: AsyncGenerator<string>): Response {
  const encoder = new TextEncoder();
  // Reads only as fast as the client receives, and stops when it disconnects.
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await lines.return(undefined)),
  });
  return new Response(body, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      "Cache-Control": "private, no-store",
    },
  });
}

async function* toCsv<Item>(columns: Columns<Item>, list: Export<Item>["list"]) {
  yield csvStart + toCsvLine(Object.keys(columns));
  const cells = Object.values(columns);
  let rows = 0;
  for (let cursor: string | undefined; rows < maximumExportedRows; ) {
    const { data, nextCursor } = await list({ cursor, limit: batchSize });
    yield data.map((item) => toCsvLine(cells.map((cell) => cell(item)))).join("");
    rows += data.length;
    if (!nextCursor) return;
    cursor = nextCursor;
  }
  yield toCsvLine([
    `Not complete: this file has the first ${maximumExportedRows.toLocaleString("en")} rows. Filter the list to export the rest.`,
  ]);
}
