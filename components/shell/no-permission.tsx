import { Lock } from "lucide-react";

/** Names the role that is missing, so that one knows whom to ask for what. */
export function NoPermission({ what, roleName, neededRoleNames }: { what: string; roleName: string; neededRoleNames: string }) {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <Lock className="mx-auto mb-4 size-6 text-muted" aria-hidden="true" />
      <h2 className="font-semibold text-base">Your role cannot {what}</h2>
      <p className="mx-auto mt-1 max-w-md text-muted">
        You are {roleName} here. It takes {neededRoleNames}; ask one of them.
      </p>
    </div>
  );
}
