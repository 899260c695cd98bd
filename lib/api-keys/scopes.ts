/** Every scope there is. `write:` grants nothing of `read:`. */
export const scopes = [
  "read:conversations",
  "write:conversations",
  "read:customers",
  "write:customers",
  "read:agents",
  "write:agents",
  "read:knowledge",
  "write:knowledge",
  "read:webhooks",
  "write:webhooks",
  "read:usage",
] as const;

export type Scope = (typeof scopes)[number];
