import { Lock } from "lucide-react";

/** Names the role one has and the one it takes, so that one knows whom to ask for what. */
export function NoPermission({ sentence, roleName }: { sentence: string; roleName: string }) {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <Lock className="mx-auto mb-4 size-6 text-muted" aria-hidden="true" />
      <h1 className="font-semibold text-base">You don’t have access to this page</h1>
      <p className="mx-auto mt-1 max-w-md text-muted">
        {sentence} You are {roleName} here; ask one of them.
      </p>
    </div>
  );
}
