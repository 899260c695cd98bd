import { requireUser } from "@/lib/auth/require-user";
import { hasRecentProof } from "@/lib/step-up/proof";
import { AnnounceProof } from "./announce-proof";

export const metadata = { title: "Confirmed" };

/** Shown in the window where the user signed in again, until it closes itself. */
export default async function ConfirmedPage() {
  const user = await requireUser();
  const isProved = hasRecentProof(user.provedAt);
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">
        {isProved ? "Identity confirmed" : "Identity not confirmed"}
      </h1>
      <p className="text-muted">
        {isProved
          ? "You can close this window and continue where you left off."
          : "Close this window and try again where you left off."}
      </p>
      {isProved ? <AnnounceProof /> : null}
    </div>
  );
}
