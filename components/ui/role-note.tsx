import { Lock } from "lucide-react";

/** Replaces a button that the user's role does not allow. */
export function RoleNote({ sentence }: { sentence: string }) {
  return (
    <p className="flex max-w-xs items-center gap-2 text-muted text-xs">
      <Lock className="size-3.5 shrink-0" aria-hidden="true" />
      {sentence}
    </p>
  );
}
