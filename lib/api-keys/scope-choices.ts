import { type Scope, scopes } from "./scopes";

/** What people choose from most of the time. The names are shown. */
export const scopePresets: { name: string; description: string; scopes: readonly Scope[] }[] = [
  { name: "Full access", description: "Everything the API can do.", scopes },
  {
    name: "Read only",
    description: "Sees everything, changes nothing.",
    scopes: scopes.filter((scope) => scope.startsWith("read:")),
  },
  {
    name: "Messaging",
    description: "Conversations, their messages, and customers.",
    scopes: ["read:conversations", "write:conversations", "read:customers", "write:customers"],
  },
  {
    name: "Webhooks",
    description: "Webhooks, their deliveries, and events.",
    scopes: ["read:webhooks", "write:webhooks"],
  },
];

export type ScopeResource = { name: string; label: string; isWritable: boolean };

/** The rows of the grid: what a scope's second half can be, in the order of the scopes. */
export const scopeResources: ScopeResource[] = [
  ...new Set(scopes.map((scope) => scope.slice(scope.indexOf(":") + 1))),
].map((name) => ({
  name,
  label: name === "usage" ? "Usage and account" : name.charAt(0).toUpperCase() + name.slice(1),
  isWritable: (scopes as readonly string[]).includes(`write:${name}`),
}));
