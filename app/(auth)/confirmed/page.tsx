import { requireUser } from "@/lib/auth/require-user";
import { hasRecentProof } from "@/lib/step-up/proof";
import { AnnounceProof } from "./announce-proof";

export const metadata = { title: "Confirmed" };

/** What the window shows in which somebody has signed in again, for the moment before it closes. */
export default async function ConfirmedPage() {
  const user = await requireUser();
  const isProved = hasRecentProof(user.provedAt);
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">
        {isProved ? "It is you" : "It was not confirmed"}
      </h1>
      <p className="text-muted">
        {isProved
          ? "Close this window, and go on where you were."
          : "Close this window, and try again where you were."}
      </p>
      {isProved ? <AnnounceProof /> : null}
    </div>
  );
}
