import { existsSync } from "node:fs";
import { foreignAuditKeys } from "@/lib/audit/verify-chain";
import { hasMisplacedEvents } from "@/lib/events/rebase";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { checkSmtp } from "@/lib/mail/smtp";
import { pool } from "@/lib/platform/db";
import { type Env, parseEnv } from "@/lib/platform/env";
import { isLoopbackUrl } from "@/lib/platform/loopback";
import {
  exposureRemedy,
  isLoopbackOpen,
  loopbackClosedBecause,
} from "@/lib/platform/loopback-exposure";
import { probeUpstash } from "@/lib/platform/rate-limit/upstash-rate-limiter";
import { untrustedProxyFile, untrustedProxyWarning } from "@/lib/platform/untrusted-proxy";
import { mostCountedDeliveries, readiness } from "@/lib/readiness/service";
import { oldestExpired } from "@/lib/retention/purge-expired";
import { countByMasterKey, openSamples } from "@/lib/secrets/service";
import type { SealedKind } from "@/lib/secrets/service.sql";
import { canAlterAuditLog } from "@/prisma/roles";
import { examineDatabase } from "./examine-database";
import { examineDisk, examineStorage } from "./examine-storage";

/** What was checked, and either its state or the problem and how to fix it. */
export type Finding = { subject: string; fact?: string; problem?: string };

const networkTimeoutMs = 5_000;
/**
 * A running worker takes due deliveries within about a second; next to Inngest, deliveries that are
 * two minutes late.
 */
const lateAfterSeconds = { embedded: 60, inngest: 180 };

/** Checks everything that the service needs, and leaves nothing behind. */
export async function examine(): Promise<Finding[]> {
  let env: Env;
  try {
    env = parseEnv(process.env);
  } catch (error) {
    return [{ subject: "configuration", problem: (error as Error).message }];
  }
  const findings: Finding[] = [{ subject: "configuration", fact: "usable" }];
  const database = await examineDatabase(env);
  findings.push(...database, await examineStorage(env), await examineDisk(env));
  findings.push(
    await examineLimiter(env),
    await examineInngest(env),
    await examineMail(env),
    examineExposure(env),
    examineProxies(env),
  );
  if (!database.some(({ problem }) => problem)) findings.push(await examineAudit(env));
  if (!database.some(({ problem }) => problem))
    findings.push(
      await examineSecrets(env),
      await examineDeliveries(env),
      await examineFeed(),
      await examineRetention(),
    );
  return findings;
}

async function examineLimiter({
  UPSTASH_REDIS_REST_URL: url,
  UPSTASH_REDIS_REST_TOKEN: token,
}: Env): Promise<Finding> {
  const subject = "rate limiter";
  if (!url || !token)
    return { subject, fact: "counts in memory, which is right for a single web process" };
  const { host } = new URL(url);
  try {
    // Runs the script of every request: a bridge may support everything else and reject only that.
    await probeUpstash({ url, token }, networkTimeoutMs);
    return { subject, fact: `Upstash at ${host} counts` };
  } catch (error) {
    return {
      subject,
      problem: `Upstash at ${host} cannot count (${(error as Error).message}), so each process counts in its own memory. Check UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, and that a bridge of your own runs Lua scripts`,
    };
  }
}

async function examineInngest(env: Env): Promise<Finding> {
  const {
    JOBS,
    INNGEST_DEV,
    INNGEST_BASE_URL,
    INNGEST_SIGNING_KEY,
    INNGEST_SERVE_ORIGIN = env.APP_URL,
  } = env;
  const subject = "job clock";
  if (JOBS === "embedded") return { subject, fact: "embedded, in the worker" };
  // A self-hosted server uses the form without a prefix.
  if (INNGEST_SIGNING_KEY && !/^(signkey-[a-z0-9]+-)?([0-9a-f]{2})+$/i.test(INNGEST_SIGNING_KEY)) {
    const problem =
      "INNGEST_SIGNING_KEY is neither signkey-<environment>-<hexadecimal digits> nor an even number of such digits alone";
    return { subject, problem: `${problem}: copy it from Inngest again` };
  }
  const role = `must be able to call ${INNGEST_SERVE_ORIGIN}/api/inngest; the worker takes over deliveries that are two minutes late`;
  const address =
    INNGEST_BASE_URL ??
    (INNGEST_DEV?.startsWith("http") ? INNGEST_DEV : INNGEST_DEV ? "http://127.0.0.1:8288" : null);
  if (!address) return { subject, fact: `Inngest's cloud, which ${role}` };
  try {
    await fetch(address, { signal: AbortSignal.timeout(networkTimeoutMs) });
    return { subject, fact: `Inngest at ${address} responds, and ${role}` };
  } catch {
    return {
      subject,
      problem: `Inngest at ${address} does not respond. Start it, or set JOBS=embedded; until then, the worker sends deliveries that are two minutes late`,
    };
  }
}

async function examineMail({ SMTP_URL }: Env): Promise<Finding> {
  const subject = "mail";
  const way = mailTransport();
  if (way === "page")
    return {
      subject,
      fact: `shown at ${mailPagePath} to browsers on this machine that have the token; set SMTP_URL and MAIL_FROM to send it`,
    };
  if (way === "none")
    return {
      subject,
      fact: "not configured: set SMTP_URL and MAIL_FROM to send invitations and password resets",
    };
  const host = new URL(SMTP_URL ?? "").host;
  try {
    await checkSmtp();
    return { subject, fact: `the server at ${host} accepts mail` };
  } catch (error) {
    return {
      subject,
      problem: `the server at ${host} does not accept mail (${(error as Error).message}). Check SMTP_URL`,
    };
  }
}

async function examineAudit({ DATABASE_URL, AUDIT_ANCHOR_FILE }: Env): Promise<Finding> {
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

/** Whether webhooks can reach this machine, and why. */
export function examineExposure({
  APP_URL,
  WEBHOOK_ALLOWED_PRIVATE_CIDRS: networks,
}: Env): Finding {
  const subject = "loopback";
  const opensLoopback = networks.some((network) => /^(127\.|::1|0\.0\.0\.0)/.test(network));
  if (opensLoopback && !isLoopbackUrl(APP_URL)) {
    const problem = `WEBHOOK_ALLOWED_PRIVATE_CIDRS lets every organization's webhooks reach this machine's own services, and ${APP_URL} is public`;
    return { subject, problem: `${problem}. Remove the loopback network from it` };
  }
  if (isLoopbackOpen())
    return {
      subject,
      fact: "webhooks may reach this machine, because only this machine can connect",
    };
  const reason = loopbackClosedBecause();
  if (reason) return { subject, fact: `closed to webhooks, ${reason}. ${exposureRemedy}` };
  return {
    subject,
    fact: opensLoopback
      ? "open to webhooks by WEBHOOK_ALLOWED_PRIVATE_CIDRS"
      : "closed to webhooks",
  };
}

/** Whether throttles and allow-lists see the clients' addresses or a proxy's. */
export function examineProxies({ TRUSTED_PROXY_HOPS: hops }: Env): Finding {
  const subject = "client addresses";
  if (hops > 0)
    return {
      subject,
      fact: `taken from ${hops} trusted ${hops === 1 ? "proxy" : "proxies"} in front`,
    };
  if (!existsSync(untrustedProxyFile())) return { subject, fact: "taken from each connection" };
  return {
    subject,
    problem: `${untrustedProxyWarning}. If that proxy is gone, delete ${untrustedProxyFile()}`,
  };
}

const sealedNames: Record<SealedKind, string> = {
  webhookSecrets: "webhook secrets",
  storedAnswers: "stored responses",
  waitingMails: "waiting mails",
};

/**
 * Which master keys the stored secrets need. A missing key keeps deliveries waiting; an unneeded
 * key can be removed.
 */
async function examineSecrets({ SECRET_KEYS }: Env): Promise<Finding> {
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
    fact: `all sealed with ${current}${older.length > 0 ? `; nothing needs ${older.join(", ")} any more` : ""}`,
  };
}

/** The worker deletes expired rows every minute, and a large backlog of them within the hour. */
const expiredLateSeconds = 3_600;

async function examineRetention(): Promise<Finding> {
  const subject = "retention";
  const { table, seconds } = await oldestExpired();
  if (seconds === 0) return { subject, fact: "no expired rows" };
  const oldest = `the oldest expired row has waited ${Math.round(seconds)} s to be deleted from ${table}`;
  if (seconds <= expiredLateSeconds) return { subject, fact: oldest };
  return {
    subject,
    problem: `${oldest}. Is the worker running? Look for "purge-expired" and "expired rows" in its log, logs/worker.log in the data directory`,
  };
}

async function examineFeed(): Promise<Finding> {
  const subject = "event feed";
  if (!(await hasMisplacedEvents())) return { subject, fact: "in order" };
  const problem =
    "events come from another PostgreSQL cluster, so clients that follow the feed miss new ones";
  return {
    subject,
    problem: `${problem}. Stop web and worker, and run \`npm run admin -- events:rebase\``,
  };
}

async function examineDeliveries({ JOBS }: Env): Promise<Finding> {
  const subject = "deliveries";
  const { oldestDueDeliverySeconds: seconds, deliveries } = await readiness();
  if (seconds === null || !deliveries)
    return { subject, problem: "cannot be counted: the database cannot be reached" };
  if (seconds > lateAfterSeconds[JOBS]) {
    return {
      subject,
      problem: `the oldest one that is due has waited ${Math.round(seconds)} s. Is the worker running? Its log is logs/worker.log in the data directory`,
    };
  }
  const { due, inProgress, held } = deliveries;
  const age = seconds === 0 ? "none is late" : `the oldest one that is due has waited ${seconds} s`;
  return {
    subject,
    fact: `${age}; ${atLeast(due)} due, ${atLeast(inProgress)} of them in progress, ${atLeast(held)} held`,
  };
}

const atLeast = (count: number) => (count >= mostCountedDeliveries ? `${count}+` : String(count));
