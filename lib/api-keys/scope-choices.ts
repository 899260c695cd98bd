import { partsOf, type ScopePreset } from "@/lib/resources/registry";
import { type Scope, scopes } from "./scopes";

type Preset = { name: string; description: string; scopes: readonly Scope[] };

/** Read and write access to the nouns that belong to a preset. */
const scopesOf = (preset: ScopePreset): Scope[] => {
  const names = partsOf("scope")
    .filter(({ presets }) => presets.includes(preset))
    .map(({ name }) => name);
  return scopes.filter((scope) => names.includes(resourceOf(scope)));
};

const resourceOf = (scope: Scope) => scope.slice(scope.indexOf(":") + 1);

/** The most common choices. The dashboard shows their names. */
export const scopePresets: Preset[] = [
  { name: "Full access", description: "Everything the API can do.", scopes },
  {
    name: "Read only",
    description: "Reads everything and changes nothing.",
    scopes: scopes.filter((scope) => scope.startsWith("read:")),
  },
  {
    name: "Messaging",
    description: "Conversations, their messages, and customers.",
    scopes: scopesOf("messaging"),
  },
  {
    name: "Webhooks",
    description: "Webhooks, their deliveries, and events.",
    scopes: scopesOf("webhooks"),
  },
];

export type ScopeResource = { name: string; label: string; isWritable: boolean };

/** The rows of the scope grid, in the order of the scopes. */
export const scopeResources: ScopeResource[] = partsOf("scope").map(
  ({ name, label, isReadOnly }) => ({ name, label, isWritable: !isReadOnly }),
);
