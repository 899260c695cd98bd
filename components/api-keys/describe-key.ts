import type { ScopeResource } from "@/lib/api-keys/scope-choices";

const levels = { none: "None", read: "Read", write: "Write", both: "Read and write" } as const;

export type AccessLevel = keyof typeof levels;
export const levelNames: Record<AccessLevel, string> = levels;

/** The access that these scopes grant to a resource. */
export function levelOf(scopes: readonly string[], resource: string): AccessLevel {
  const [reads, writes] = ["read", "write"].map((verb) => scopes.includes(`${verb}:${resource}`));
  return reads ? (writes ? "both" : "read") : writes ? "write" : "none";
}

export type KeyTerms = {
  scopes: readonly string[];
  allowedIps: readonly string[];
  rateLimitPerMinute: number | null;
  /** When it expires, in words: `on November 28, 2026`. */
  end: string | null;
};

const list = new Intl.ListFormat("en");

/** A sentence about a key's scopes, allowed addresses, rate limit and expiry. */
export function describeKey(
  resources: ScopeResource[],
  { scopes, allowedIps, rateLimitPerMinute, end }: KeyTerms,
): string {
  const at = (level: AccessLevel) =>
    resources
      .filter(({ name }) => levelOf(scopes, name) === level)
      .map(({ label }) => label.toLowerCase());
  const parts = [
    { verb: "read and write", labels: at("both") },
    { verb: "read", labels: at("read") },
    { verb: "write, without reading,", labels: at("write") },
  ].filter(({ labels }) => labels.length > 0);
  if (parts.length === 0) return "Choose at least one scope.";

  const limits = [
    allowedIps.length > 0 ? `works from ${list.format(allowedIps)} only` : "works from any address",
    rateLimitPerMinute === null
      ? ""
      : `is limited to ${rateLimitPerMinute.toLocaleString("en")} requests per minute`,
    end ? `expires ${end}` : "does not expire",
  ].filter(Boolean);
  const powers = parts.map(({ verb, labels }) => `${verb} ${list.format(labels)}`);
  return `This key can ${powers.join(", and ")}. It ${list.format(limits)}.`;
}

const day = new Intl.DateTimeFormat("en-US", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** `on November 28, 2026` */
export const onDay = (at: Date) => `on ${day.format(at)}`;

/** `13:48 UTC on November 28, 2026` */
export const atTime = (at: Date) => `${at.toISOString().slice(11, 16)} UTC ${onDay(at)}`;
