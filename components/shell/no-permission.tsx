import { Lock } from "lucide-react";

/** Names the user's role and the required one, so that they know whom to ask. */
export function NoPermission({ sentence, roleName }: { sentence: string; roleName: string }) {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <Lock className="mx-auto mb-4 size-6 text-muted" aria-hidden="true" />
      <h1 className="font-semibold text-base">You don’t have access to this page</h1>
      <p className="mx-auto mt-1 max-w-md text-muted">
        {sentence} Your role is {roleName}. Ask one of them for help.
      </p>
    </div>
  );
}
