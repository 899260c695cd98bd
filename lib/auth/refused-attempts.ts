import { db } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import { deviceName } from "@/lib/sessions/device-name";
import { findUserByEmail, recordAuditOfUser } from "@/lib/users/service";
import { accountTag } from "./known-device";
import type { AttemptSource } from "./throttle";

const log = logOf("auth");

type Attempt =
  | { what: "sign-in" | "second factor" | "confirmation"; outcome: "failed" }
  /** Rejected without being checked, because too many earlier attempts failed. */
  | {
      what: "sign-in" | "second factor" | "confirmation" | "password reset" | "sign-up";
      outcome: "throttled";
    };

type Refusal = Attempt & {
  /** Null if no account was named. */
  email: string | null;
  source: AttemptSource;
};

const failureActions = {
  "sign-in": "user.sign_in_failed",
  "second factor": "user.second_factor_refused",
  confirmation: "user.proof_refused",
} as const;

const windowMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;
/**
 * The limit keeps strangers from filling someone's audit log. The operator's log has no such limit.
 */
const entriesPerAccountAndDay = 200;
const maximumPending = 1_000;

// Shared between Next's bundles of this module, as the limiter is.
const shared = globalThis as { parlanceRefusedAttempts?: Set<Promise<void>> };

/**
 * Records a refused attempt: a line in the operator's log, and an entry in the audit log of each of
 * the account's organizations. Written after the response, so that timing does not reveal whether
 * the account exists.
 */
export function recordRefusedAttempt(refusal: Refusal): void {
  shared.parlanceRefusedAttempts ??= new Set();
  const pending = shared.parlanceRefusedAttempts;
  if (pending.size >= maximumPending) {
    logLine(refusal, null);
    return;
  }
  const writing = trace(refusal)
    .catch((error: Error) =>
      log.error({ error: error.message }, "a refused attempt could not be recorded"),
    )
    .finally(() => pending.delete(writing));
  pending.add(writing);
}

/** Waits for pending writes. Also called on shutdown. */
export async function flushRefusedAttempts(): Promise<void> {
  while (shared.parlanceRefusedAttempts?.size) await Promise.all(shared.parlanceRefusedAttempts);
}

function logLine(
  { what, outcome, source: { address, userAgent, sessionId } }: Refusal,
  userId: string | null,
): void {
  log.warn(
    { what, outcome, userId, address, device: deviceName(userAgent), sessionId },
    "an attempt was refused",
  );
}

async function trace(refusal: Refusal): Promise<void> {
  const { email, source } = refusal;
  const tag = email === null ? "none" : accountTag(email);
  // One throttled attempt represents all that follow it within the window.
  const origin = source.sessionId ?? source.known?.id ?? source.address ?? "unknown";
  if (
    refusal.outcome === "throttled" &&
    !(await rateLimiter().take(`trace:${refusal.what}:${origin}:${tag}`, 1, windowMs)).isAllowed
  )
    return;

  const user = email === null ? null : await findUserByEmail(db(), email);
  logLine(refusal, user?.id ?? null);
  if (
    !user ||
    !(
      await rateLimiter().take(
        `trace:${source.sessionId ?? "strangers"}:${tag}`,
        entriesPerAccountAndDay,
        dayMs,
      )
    ).isAllowed
  )
    return;
  const record = {
    action:
      refusal.outcome === "failed" ? failureActions[refusal.what] : ("user.throttled" as const),
    changes: { after: { attempt: refusal.what, device: deviceName(source.userAgent) } },
  };
  // Only a session proves who acts, because anyone can enter someone else's address.
  const by = source.sessionId ? "user" : "stranger";
  await db().$transaction((transaction) =>
    recordAuditOfUser(transaction, user.id, source.address, record, by),
  );
}
