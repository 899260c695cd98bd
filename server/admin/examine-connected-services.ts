import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { checkSmtp } from "@/lib/mail/smtp";
import type { Env } from "@/lib/platform/env";
import { probeUpstash } from "@/lib/platform/rate-limit/upstash-rate-limiter";
import type { Finding } from "./doctor";

// The services that an operator may connect: Upstash, Inngest and a mail server.

const networkTimeoutMs = 5_000;
export async function examineLimiter({
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

export async function examineInngest(env: Env): Promise<Finding> {
  const {
    JOBS,
    INNGEST_DEV,
    INNGEST_BASE_URL,
    INNGEST_SIGNING_KEY,
    INNGEST_FUNCTIONS,
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
  const role =
    INNGEST_FUNCTIONS === "worker"
      ? "runs its functions in the worker, which connects to it"
      : `must be able to call ${INNGEST_SERVE_ORIGIN}/api/inngest`;
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

export async function examineMail({ SMTP_URL }: Env): Promise<Finding> {
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
