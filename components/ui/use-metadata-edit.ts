"use client";

import { useState } from "react";
import type { Metadata, MetadataPatch } from "@/lib/platform/metadata";
import {
  fromMetadataRows,
  metadataPatch,
  metadataProblem,
  toMetadataRows,
} from "@/lib/platform/metadata-rows";

/**
 * The state of a metadata field in an edit dialog. Its patch has only what the user changed since
 * `restart`, so that keys that others change in the meantime stay.
 */
export function useMetadataEdit(metadata: Metadata) {
  const [seen, setSeen] = useState(metadata);
  const [rows, setRows] = useState(() => toMetadataRows(metadata));
  return {
    rows,
    setRows,
    isInvalid: metadataProblem(rows) !== null,
    patch: (): MetadataPatch => metadataPatch(seen, fromMetadataRows(rows)),
    restart: () => {
      setSeen(metadata);
      setRows(toMetadataRows(metadata));
    },
  };
}
