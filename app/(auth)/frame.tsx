import type { ReactNode } from "react";
import { Heading } from "./heading";

type FrameProps = { title: string; action: ReactNode; children: ReactNode };

/** A page that a link in an email opens: what it is about, and what the user can do. */
export function Frame({ title, action, children }: FrameProps) {
  return (
    <div className="space-y-5">
      <Heading title={title}>{children}</Heading>
      {action}
    </div>
  );
}
