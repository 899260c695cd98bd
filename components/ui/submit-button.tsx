"use client";

import type { ComponentProps, ReactNode } from "react";
import { useFormStatus } from "react-dom";
import { Button } from "./button";

/** Shows that its form is being sent, and prevents sending it twice. */
export function SubmitButton({
  children,
  pending,
  ...appearance
}: {
  children: ReactNode;
  pending: string;
} & Pick<ComponentProps<typeof Button>, "variant" | "size" | "className">) {
  const { pending: isPending } = useFormStatus();
  return (
    <Button type="submit" disabled={isPending} {...appearance}>
      {isPending ? pending : children}
    </Button>
  );
}
