import { foreignAuditKeys } from "@/lib/audit/verify-chain";
import { pool } from "@/lib/platform/db";
import type { Env } from "@/lib/platform/env";
import { countByMasterKey, openSamples } from "@/lib/secrets/service";
import type { SealedKind } from "@/lib/secrets/service.sql";
import { canAlterAuditLog } from "@/prisma/roles";
import type { Finding } from "./doctor";

// What is sealed with the keys of the environment: the audit log and stored secrets.

export async function examineAudit({ DATABASE_URL, AUDIT_ANCHOR_FILE }: Env): Promise<Finding> {
  const subject = "audit log";
  const foreign = await foreignAuditKeys();
  if (foreign.length > 0) {
    return {
      subject,
      problem: `sealed with ${foreign.join(", ")}, which is not in AUDIT_KEYS. Add the missing key, or entries cannot be verified`,
    };
  }
  const role = decodeURIComponent(new URL(DATABASE_URL).username);
  const isProtected = !(await canAlterAuditLog(pool(), role));
  const advice = `the role ${role} could alter it: create a role for the application, and set MIGRATION_DATABASE_URL to the owner's address`;
  return {
    subject,
    fact: `${isProtected ? "the application's role cannot alter it" : advice}; anchored in ${AUDIT_ANCHOR_FILE}`,
  };
}

const sealedNames: Record<SealedKind, string> = {
  webhookSecrets: "webhook secrets",
  webhookHeaders: "webhook headers",
  storedResponses: "stored responses",
  waitingMails: "waiting mails",
  authenticatorApps: "authenticator apps",
  alertTargets: "destinations of alerts",
};

/**
 * Which master keys the stored secrets need. A missing key keeps deliveries waiting; an unneeded
 * key can be removed.
 */
export async function examineSecrets({ SECRET_KEYS }: Env): Promise<Finding> {
  const subject = "secrets at rest";
  const [current, ...older] = SECRET_KEYS.map(({ id }) => id);
  const use = Object.entries(await countByMasterKey()) as [SealedKind, Record<string, number>][];
  const sealedWith = (isMeant: (keyId: string) => boolean) =>
    use.flatMap(([kind, counts]) => {
      const meant = Object.entries(counts).filter(([keyId]) => isMeant(keyId));
      return meant.map(([keyId, count]) => `${count} ${sealedNames[kind]} with ${keyId}`);
    });

  const lost = sealedWith((keyId) => keyId !== current && !older.includes(keyId));
  if (lost.length > 0) {
    return {
      subject,
      problem: `sealed with keys that are not in SECRET_KEYS: ${lost.join(", ")}. Add these keys at the end of SECRET_KEYS`,
    };
  }
  const samples = Object.entries(await openSamples()) as [
    SealedKind,
    { sampled: number; unopened: number },
  ][];
  const broken = samples.flatMap(([kind, { sampled, unopened }]) =>
    unopened > 0 ? [`${unopened} of ${sampled} ${sealedNames[kind]}`] : [],
  );
  if (broken.length > 0) {
    return {
      subject,
      problem: `altered in the database, so they do not open: ${broken.join(", ")} in a sample. Restore them from a backup`,
    };
  }
  const outdated = sealedWith((keyId) => keyId !== current);
  if (outdated.length > 0) {
    const fact = `still sealed with an older key: ${outdated.join(", ")}. \`npm run admin -- secrets:reencrypt\` seals them with ${current}`;
    return { subject, fact };
  }
  return {
    subject,
    fact: `all sealed with ${current}${older.length > 0 ? `; ${older.join(", ")} ${older.length === 1 ? "is" : "are"} no longer needed` : ""}`,
  };
}
