import { Time } from "@/components/ui/time";

export type KeyAuditEntry = {
  sequence: number;
  action: string;
  actor: string;
  changes: unknown;
  createdAt: Date;
};

const done: Record<string, string> = {
  "api_key.created": "created the key",
  "api_key.updated": "updated the key",
  "api_key.rolled": "rotated the key",
  "api_key.revoked": "revoked the key",
};

const names: Record<string, string> = {
  name: "name",
  scopes: "scopes",
  allowedIps: "allowed IP addresses",
  rateLimitPerMinute: "requests per minute",
};

/** The history of a key: each action, its actor, and the values it changed. */
export function KeyAudit({ entries, now }: { entries: KeyAuditEntry[]; now: Date }) {
  return (
    <ol className="space-y-3">
      {entries.map(({ sequence, action, actor, changes, createdAt }) => (
        <li key={sequence} className="flex flex-wrap items-baseline justify-between gap-x-4">
          <div className="min-w-0">
            <p>
              <span className="font-medium">{actor}</span> {done[action] ?? action}
            </p>
            {action === "api_key.updated" ? (
              <ul className="text-muted text-xs">
                {differences(changes).map(({ name, before, after }) => (
                  <li key={name} className="break-words">
                    {names[name] ?? name}: {before} → {after}
                  </li>
                ))}
              </ul>
            ) : null}
          </div>
          <span className="text-muted text-xs">
            <Time at={createdAt} now={now} />
          </span>
        </li>
      ))}
    </ol>
  );
}

type Changes = { before?: Record<string, unknown>; after?: Record<string, unknown> };

function differences(changes: unknown) {
  const { before = {}, after = {} } = (changes ?? {}) as Changes;
  return Object.keys(after).map((name) => ({
    name,
    before: inWords(before[name]),
    after: inWords(after[name]),
  }));
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "any";
  return value === null || value === undefined ? "plan default" : String(value);
}
