"use client";

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Refusal } from "@/lib/platform/action-result";
import { Link } from "./link";
import { Notice } from "./notice";

type RefusalNoticeProps = {
  refused: Refusal | null;
  /** The path of the resource that caused a conflict, without its id, for a link to it. */
  existingPath?: string;
};

/**
 * Why a form was refused. Errors of fields are shown below their fields, and the first of these
 * fields gets the focus. All other errors are shown here. Render it inside the form.
 */
export function RefusalNotice({ refused, existingPath }: RefusalNoticeProps) {
  const place = useRef<HTMLDivElement>(null);
  const [isShown, setIsShown] = useState(false);

  // An error may belong to a field that this form does not have, so what counts is what it shows.
  useLayoutEffect(() => {
    setIsShown(Boolean(refused && (refused.errors[""] || !firstInvalid(place.current))));
  }, [refused]);

  useEffect(() => {
    if (refused) (firstInvalid(place.current) ?? place.current)?.focus();
  }, [refused]);

  return (
    <div ref={place} tabIndex={-1} className={isShown ? "outline-none" : "absolute"}>
      {refused && isShown ? (
        <Notice>
          {refused.errors[""] ?? refused.message}
          {existingPath && refused.existingId ? (
            <Link
              href={`${existingPath}/${refused.existingId}`}
              className="ml-1 font-medium underline underline-offset-2"
            >
              Open it
            </Link>
          ) : null}
        </Notice>
      ) : null}
    </div>
  );
}

const firstInvalid = (place: HTMLElement | null) =>
  place?.closest("form")?.querySelector<HTMLElement>("[aria-invalid=true]");
