import { Badge } from "@/components/ui/badge";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowName, type Sorting, sortedCaption, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { KnowledgeBase } from "@/lib/knowledge/bases/schema";
import { byteSize } from "@/lib/platform/byte-size";

const headings = [
  { label: "Knowledge base", sort: "name" },
  { label: "Documents" },
  { label: "Size", align: "right" as const, sort: "sizeBytes" },
  { label: "Created", sort: "created" },
];

export function KnowledgeBaseTable({
  bases,
  base,
  sorting,
  now,
}: {
  bases: KnowledgeBase[];
  base: string;
  sorting: Sorting;
  now: Date;
}) {
  return (
    <Table
      caption={sortedCaption("Knowledge bases", sorting)}
      headings={headings}
      sorting={sorting}
    >
      {bases.map(({ id, name, description, documentCounts, sizeBytes, createdAt }) => (
        <Row key={id}>
          <RowName>
            <Link
              href={`${base}/knowledge/${id}`}
              className="row-link block break-words font-medium"
            >
              {name}
            </Link>
            {description ? (
              <span className="line-clamp-1 max-w-md break-words text-muted">{description}</span>
            ) : null}
            <span className="relative z-1">
              <CopyableId id={id} />
            </span>
          </RowName>
          <Cell label="Documents">
            <DocumentCounts counts={documentCounts} />
          </Cell>
          <Cell label="Size" align="right">
            {byteSize(sizeBytes)}
          </Cell>
          <Cell label="Created">
            <Time at={new Date(createdAt)} now={now} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** How many documents are searchable, and why the others are not. */
export function DocumentCounts({
  counts: { pending, processing, ready, failed },
}: {
  counts: KnowledgeBase["documentCounts"];
}) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <span className="tabular-nums">{ready.toLocaleString("en")} ready</span>
      {pending + processing > 0 ? (
        <Badge variant="accent">{(pending + processing).toLocaleString("en")} in progress</Badge>
      ) : null}
      {failed > 0 ? <Badge variant="danger">{failed.toLocaleString("en")} failed</Badge> : null}
    </span>
  );
}
