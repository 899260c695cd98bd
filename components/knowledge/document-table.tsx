import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { Document } from "@/lib/knowledge/documents/schema";
import { byteSize } from "@/lib/platform/byte-size";
import { DocumentStatus } from "./document-status";

export type DocumentRow = { document: Document; typeName: string; actions: ReactNode };

const headings = [
  { label: "Document" },
  { label: "Status" },
  { label: "Size", align: "right" as const },
  { label: "Chunks", align: "right" as const },
  { label: "Uploaded" },
  { label: "Actions", isHidden: true },
];

export function DocumentTable({
  rows,
  path,
  now,
}: {
  rows: DocumentRow[];
  path: string;
  now: Date;
}) {
  return (
    <Table caption="Documents, newest first" headings={headings}>
      {rows.map(
        ({
          document: { id, name, status, error, sizeBytes, chunkCount, createdAt },
          typeName,
          actions,
        }) => (
          <Row key={id}>
            <RowName>
              <Link
                href={`${path}/documents/${id}`}
                className="row-link block max-w-md break-words font-medium"
              >
                {name}
              </Link>
              <span className="relative z-1 flex flex-wrap items-center gap-x-3">
                <span className="text-muted text-xs">{typeName}</span>
                <CopyableId id={id} />
              </span>
            </RowName>
            <Cell label="Status">
              <DocumentStatus status={status} />
              {error ? (
                <span className="mt-1 block max-w-56 text-danger lg:whitespace-normal">
                  {error.message}
                </span>
              ) : null}
            </Cell>
            <Cell label="Size" align="right">
              {byteSize(sizeBytes)}
            </Cell>
            <Cell label="Chunks" align="right">
              {chunkCount === null ? (
                <span className="text-muted">–</span>
              ) : (
                chunkCount.toLocaleString("en")
              )}
            </Cell>
            <Cell label="Uploaded">
              <Time at={new Date(createdAt)} now={now} />
            </Cell>
            <RowActions>
              <span className="inline-flex gap-1.5">{actions}</span>
            </RowActions>
          </Row>
        ),
      )}
    </Table>
  );
}
