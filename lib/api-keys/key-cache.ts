import { joinLookups } from "@/lib/platform/join-lookups";
import { listenOn } from "@/lib/platform/listen-for-notifications";
import { lookupSql } from "@/lib/platform/lookup-sql";
import { planRateLimits, planTenantRateLimits } from "@/lib/tenants/service";
import type { Environment, Plan } from "@/prisma/generated/enums";
import type { ApiKeyModel } from "@/prisma/generated/models";
import { rateLimitOf } from "./rate-limit";
import { allowList } from "./schema";
import type { Scope } from "./scopes";

/**
 * NOTIFY on this channel carries the hash, in hex, of a key that was revoked, rolled or changed.
 */
export const keysChannel = "parlance_keys";

/** What the API needs to know about a key to serve a request. */
export type KnownKey = {
  id: string;
  /** What it is found by. */
  hash: Buffer;
  tenantId: string;
  environment: Environment;
  name: string;
  scopes: ReadonlySet<Scope>;
  expiresAt: Date | null;
  /** An unknown address (null) is outside every network. */
  isAllowedFrom: (address: string | null) => boolean;
  rateLimitPerMinute: number;
  /**
   * The limit that all keys of the environment share. Null for a key that an operator gave more
   * than its plan's limit: it neither counts against the shared limit nor is bound by it.
   */
  tenantLimitPerMinute: number | null;
  /** The origin of the installation that has the tenant now. It alone knows whether the key is valid. */
  movedTo: string | null;
};

/**
 * A revoked key stops working within a second even if the connection that reports revocations has
 * died silently.
 */
const lifetimeMs = 900;
/** From this age on, a key in use is looked up again while requests still get the cached one. */
const refreshAfterMs = 500;
const maximumEntries = 10_000;

/** Times of `performance.now()`: a clock that is set back must not keep a revoked key alive. */
type Entry = { key: KnownKey; untilMs: number; refreshAtMs: number };
const entries = new Map<string, Entry>();

/**
 * The key with this hash, or null if it is unknown, revoked, suspended or expired. Results are
 * cached for less than a second, and only while this process receives revocations: with the
 * listening connection down, every call queries the database, so the cache never keeps a revoked
 * key alive. Unknown keys are not cached, because guesses would push out the valid ones.
 */
export async function findKey(hash: Buffer): Promise<KnownKey | null> {
  const name = hash.toString("hex");
  const nowMs = performance.now();
  const cached = entries.get(name);
  if (cached && cached.untilMs > nowMs && isListening()) {
    if (cached.refreshAtMs <= nowMs) refresh(cached, hash);
    return notExpired(cached.key);
  }
  return notExpired(await lookUp(hash, nowMs));
}

/** One request looks up the key for all requests that follow, and none of them waits for it. */
function refresh(cached: Entry, hash: Buffer): void {
  cached.refreshAtMs = Number.POSITIVE_INFINITY;
  // Without a result, the cached key expires as usual, and the next request reports the error.
  lookUp(hash, performance.now()).catch(() => {});
}

async function lookUp(hash: Buffer, nowMs: number): Promise<KnownKey | null> {
  const name = hash.toString("hex");
  const generation = invalidations;
  const row = await findRow<Row>({ hash });
  const isUsable = row && (row.movedTo !== null || (!row.revokedAt && !row.suspendedAt));
  const key = isUsable ? toKnownKey(hash, row) : null;
  // A revocation that arrived during the lookup may concern this key, so the result is not cached.
  if (generation !== invalidations || !isListening()) return key;
  if (!key) entries.delete(name);
  else {
    if (entries.size >= maximumEntries) entries.clear();
    entries.set(name, { key, untilMs: nowMs + lifetimeMs, refreshAtMs: nowMs + refreshAfterMs });
  }
  return key;
}

function notExpired(key: KnownKey | null): KnownKey | null {
  return key?.expiresAt && key.expiresAt.getTime() <= Date.now() ? null : key;
}

type Row = Pick<
  ApiKeyModel,
  | "id"
  | "tenantId"
  | "environment"
  | "name"
  | "scopes"
  | "allowedIps"
  | "rateLimitPerMinute"
  | "isCappedByPlan"
> & {
  expiresAt: string | null;
  revokedAt: string | null;
  suspendedAt: string | null;
  plan: Plan;
  movedTo: string | null;
};

/** Lookups share statements, so that guesses do not cost a query each. */
const findRow = joinLookups(
  lookupSql(
    "find_key",
    { hash: "bytea" },
    (p) => `
  SELECT k.id, k.tenant_id AS "tenantId", k.environment, k.name, k.scopes, k.allowed_ips AS "allowedIps",
    k.rate_limit_per_minute AS "rateLimitPerMinute", k.is_capped_by_plan AS "isCappedByPlan", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
    k.suspended_at AS "suspendedAt", t.plan, t.moved_to AS "movedTo"
  FROM api_keys k JOIN tenants t ON t.id = k.tenant_id WHERE k.hash = ${p.hash}`,
  ),
);

function toKnownKey(hash: Buffer, row: Row): KnownKey {
  const { plan, movedTo } = row;
  const rateLimitPerMinute = rateLimitOf(row, planRateLimits[plan]);
  const networks = row.allowedIps.length > 0 ? allowList(row.allowedIps) : null;
  return {
    id: row.id,
    hash,
    tenantId: row.tenantId,
    environment: row.environment,
    name: row.name,
    scopes: new Set(row.scopes as Scope[]),
    expiresAt: row.expiresAt !== null && movedTo === null ? new Date(row.expiresAt) : null,
    isAllowedFrom: (address) =>
      !networks ||
      (address !== null && networks.check(address, address.includes(":") ? "ipv6" : "ipv4")),
    rateLimitPerMinute,
    tenantLimitPerMinute:
      rateLimitPerMinute > planRateLimits[plan] ? null : planTenantRateLimits[plan],
    movedTo,
  };
}

// ---------------------------------------------------------------- notifications of revocations

let listener: { stop: () => void } | undefined;
let isConnected = false;
let invalidations = 0;
let isStopped = false;

/** True while this process receives revocations. The first call starts listening. */
function isListening(): boolean {
  if (!listener && !isStopped) listener = listen();
  return isConnected;
}

function listen() {
  return listenOn({
    name: "keys",
    channel: keysChannel,
    onConnected: () => {
      isConnected = true;
    },
    onNotification: (hash) => {
      invalidations++;
      if (hash) entries.delete(hash);
    },
    onLost: () => {
      isConnected = false;
      invalidations++;
      entries.clear();
    },
  });
}

/** For boot: the first request is then served from the cache, and `doctor` counts this process. */
export function startKeyCache(): void {
  isListening();
}

/** For shutdown. */
export function stopKeyCache(): void {
  isStopped = true;
  listener?.stop();
  isConnected = false;
  entries.clear();
}
