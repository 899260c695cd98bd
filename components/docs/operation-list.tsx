import Link from "next/link";
import { operationPath } from "@/lib/platform/openapi";
import { MethodBadge } from "./method-badge";
import type { DescribedOperation } from "./samples";

type OperationListProps = { tag: string; operations: DescribedOperation[] };

/** Operations as links to their pages. Each has its id, which links of earlier versions end with. */
export function OperationList({ tag, operations }: OperationListProps) {
  return (
    <ul className="divide-y divide-line overflow-hidden rounded-xl border border-line bg-surface">
      {operations.map(({ method, path, operation }) => (
        <li key={operation.operationId} id={operation.operationId} className="scroll-mt-20">
          <Link
            href={operationPath(tag, operation.operationId)}
            prefetch={false}
            className="grid gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-sunken md:grid-cols-[4.5rem_minmax(0,1.2fr)_minmax(0,1fr)] md:items-center"
          >
            <span>
              <MethodBadge method={method} />
            </span>
            <span className="break-all font-mono text-[0.8125rem]">{path}</span>
            <span className="text-muted">{operation.summary}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
