import { Badge, type BadgeVariant } from "@/components/ui/badge";
import { Countdown } from "@/components/ui/countdown";
import { Time } from "@/components/ui/time";
import type { ApiKeyStatus } from "@/lib/api-keys/status";

export const statusNames: Record<ApiKeyStatus, string> = {
  active: "Active",
  expiring: "Expires soon",
  rolling: "Rotating",
  unused: "Unused for 30 days",
  expired: "Expired",
  suspended: "Suspended",
  revoked: "Revoked",
};

const variants: Record<ApiKeyStatus, BadgeVariant> = {
  active: "good",
  expiring: "warn",
  rolling: "accent",
  unused: "warn",
  expired: "plain",
  suspended: "warn",
  revoked: "danger",
};

type Facts = { status: ApiKeyStatus; expiresAt: Date | null; revokedAt: Date | null };

export const StatusBadge = ({ status }: { status: ApiKeyStatus }) => (
  <Badge variant={variants[status]}>{statusNames[status]}</Badge>
);

/** The status, and when it changed or will change. */
export function KeyStatus({
  apiKey: { status, expiresAt, revokedAt },
  now,
}: {
  apiKey: Facts;
  now: Date;
}) {
  return (
    <>
      <StatusBadge status={status} />
      <span className="block pt-0.5 text-muted text-xs">
        {status === "rolling" && expiresAt ? (
          <>
            ends in <Countdown until={expiresAt} now={now} />
          </>
        ) : status === "revoked" && revokedAt ? (
          <Time at={revokedAt} now={now} />
        ) : expiresAt ? (
          <Time at={expiresAt} now={now} />
        ) : null}
      </span>
    </>
  );
}
