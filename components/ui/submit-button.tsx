"use client";

import type { ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { Button, type ButtonLook } from "./button";

/** Says so while its form is being sent, and cannot send it twice. */
export function SubmitButton({
  children,
  pending,
  look,
  className,
}: {
  children: ReactNode;
  pending: string;
  look?: ButtonLook;
  className?: string;
}) {
  const { pending: isPending } = useFormStatus();
  return (
    <Button type="submit" look={look} className={className} disabled={isPending}>
      {isPending ? pending : children}
    </Button>
  );
}
