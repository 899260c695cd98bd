import { recordAudit } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { rotationInProgress } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { now } from "@/lib/platform/time";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import type { RotateSecret, Webhook } from "./schema";
import { lockWebhook, newSecret, touchWebhook, toWebhook } from "./stored-webhook";

/**
 * Creates a new secret, and a new key pair if the webhook has one. The previous one also signs for
 * `overlapSeconds`; which secrets sign is decided by their expiry whenever something is sent.
 * Without an overlap, every older secret expires immediately.
 * @returns the webhook with its new secret, which is returned only once
 * @throws AppError `rotation-in-progress` if two secrets sign already and the new one should
 * overlap too
 */
export async function rotateSecret(
  caller: Caller,
  id: string,
  { overlapSeconds }: RotateSecret,
): Promise<Webhook & { secret: string }> {
  requireRole(caller, "ADMIN", "rotate signing secrets");
  await requireStepUp(caller, "rotateSecret");
  const row = await lockWebhook(caller, id);
  const at = now();
  const [current, previous] = row.secrets;
  if (!current) throw new Error("the webhook has no signing secret");
  if (overlapSeconds > 0 && previous?.expiresAt && previous.expiresAt > at) {
    throw rotationInProgress(previous.expiresAt);
  }

  const secretsOf = { ...caller.partition, webhookId: id };
  // Secrets before the current one have expired, or expire now.
  await caller.db.webhookSecret.deleteMany({
    where: { ...secretsOf, ...(overlapSeconds > 0 && { version: { lt: current.version } }) },
  });
  if (overlapSeconds > 0) {
    await caller.db.webhookSecret.updateMany({
      where: secretsOf,
      data: { expiresAt: new Date(at.getTime() + overlapSeconds * 1_000) },
    });
  }
  const { secret, fields } = newSecret(
    caller.partition,
    { id, version: current.version + 1, hasKeyPair: current.publicKey !== null },
    at,
  );
  await caller.db.webhookSecret.create({ data: { ...secretsOf, ...fields } });
  const webhook = await touchWebhook(caller, id, at);
  await recordAudit(caller, {
    action: "webhook.secret_rotated",
    targetId: id,
    changes: {
      before: { secretHint: current.hint },
      after: {
        secretHint: webhook.secretHint,
        previousSecretExpiresAt: webhook.previousSecretExpiresAt,
        publicKeys: webhook.publicKeys,
      },
    },
  });
  return { ...webhook, secret };
}

/** Ends an overlap early: from now on only the newest secret signs. Harmless without an overlap. */
export async function dropOldSecret(caller: Caller, id: string): Promise<Webhook> {
  requireRole(caller, "ADMIN", "drop old signing secrets");
  await requireStepUp(caller, "dropOldSecret");
  const row = await lockWebhook(caller, id);
  const [current, previous] = row.secrets;
  if (!current || !previous) return toWebhook(row);

  await caller.db.webhookSecret.deleteMany({
    where: { ...caller.partition, webhookId: id, version: { lt: current.version } },
  });
  const webhook = await touchWebhook(caller, id, now());
  await recordAudit(caller, {
    action: "webhook.old_secret_dropped",
    targetId: id,
    changes: { before: { secretHint: previous.hint } },
  });
  return webhook;
}
