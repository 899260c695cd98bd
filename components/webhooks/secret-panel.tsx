import type { ReactNode } from "react";
import { CopyableId } from "@/components/ui/copyable-id";
import { Countdown } from "@/components/ui/countdown";
import { Panel } from "@/components/ui/panel";

type SecretPanelProps = {
  hint: string;
  /** Newest first; none with the scheme `hmac`. */
  publicKeys: string[];
  /** Where everyone can read them. */
  publicKeysPath: string;
  /** Until then, the previous secret signs, too. */
  previousExpiresAt: Date | null;
  now: Date;
  rotateAction: ReactNode;
  /** Ends the overlap early. */
  dropAction: ReactNode;
};

export function SecretPanel({
  hint,
  publicKeys,
  publicKeysPath,
  previousExpiresAt,
  now,
  rotateAction,
  dropAction,
}: SecretPanelProps) {
  return (
    <Panel title="Signing secret">
      <div className="space-y-3">
        <p>
          <code className="font-mono text-xs">{hint}</code>
        </p>
        {publicKeys.length > 0 ? (
          <div className="space-y-1">
            <p className="text-muted">
              {publicKeys.length > 1 ? "Public keys" : "Public key"}, also at{" "}
              <a href={publicKeysPath} className="break-all text-accent hover:underline">
                {publicKeysPath}
              </a>
            </p>
            {publicKeys.map((key) => (
              <div key={key}>
                <CopyableId id={key} />
              </div>
            ))}
          </div>
        ) : null}
        {previousExpiresAt ? (
          <div className="space-y-2.5 rounded-lg border border-warn/40 bg-warn-soft px-3 py-2.5 text-warn">
            <p>
              The previous secret also signs, for another{" "}
              <strong className="font-semibold">
                <Countdown until={previousExpiresAt} now={now} over="moment" />
              </strong>
              .
            </p>
            {dropAction}
          </div>
        ) : (
          <p className="text-muted">
            Signs every delivery. It was shown once when it was created, and is stored encrypted.
          </p>
        )}
        {rotateAction}
      </div>
    </Panel>
  );
}
