import type { ReactNode } from "react";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import { Cell, Row, RowActions, RowName, Table } from "@/components/ui/table";
import { Time } from "@/components/ui/time";

export type VersionRow = {
  version: number;
  publishedBy: string;
  createdAt: Date;
  restoredVersion: number | null;
  isPublished: boolean;
  /** The changes from the previous version, in words. */
  changed: string;
  actions: ReactNode;
};

const headings = [
  { label: "Version" },
  { label: "Changed" },
  { label: "Published" },
  { label: "Actions", isHidden: true },
];

export function VersionTable({
  versions,
  path,
  now,
}: {
  versions: VersionRow[];
  path: string;
  now: Date;
}) {
  return (
    <Table caption="Versions, newest first" headings={headings}>
      {versions.map(
        ({ version, publishedBy, createdAt, restoredVersion, isPublished, changed, actions }) => (
          <Row key={version}>
            <RowName>
              <span className="flex flex-wrap items-center gap-2">
                <Link href={`${path}/versions/${version}`} className="row-link font-medium">
                  Version {version}
                </Link>
                {isPublished ? <Badge variant="good">Published</Badge> : null}
              </span>
              {restoredVersion === null ? null : (
                <span className="text-muted">Rolled back to version {restoredVersion}</span>
              )}
            </RowName>
            <Cell label="Changed">
              <span className="lg:whitespace-normal">{changed}</span>
            </Cell>
            <Cell label="Published">
              <Time at={createdAt} now={now} />
              <span className="block max-w-48 truncate text-muted text-xs">{publishedBy}</span>
            </Cell>
            <RowActions>{actions}</RowActions>
          </Row>
        ),
      )}
    </Table>
  );
}
