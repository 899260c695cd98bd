import type { ActionResult } from "@/lib/platform/action-result";

/** An object that the palette found. */
export type FoundObject = {
  id: string;
  /** What it is: "Customer". */
  kind: string;
  name: string;
  /** What tells it apart from others. */
  detail: string;
  /** Its page, below `/{tenant}/{environment}`. */
  path: string;
};

export type FindObjects = (q: string) => Promise<ActionResult<FoundObject[]>>;
