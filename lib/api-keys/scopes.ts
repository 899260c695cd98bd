import { type NounsWith, type nouns, partsOf } from "@/lib/resources/registry";

type ScopeParts = { [Noun in NounsWith<"scope">]: (typeof nouns)[Noun]["scope"] };
type ScopeOf<Part extends { name: string }> =
  | `read:${Part["name"]}`
  | (Part extends { isReadOnly: true } ? never : `write:${Part["name"]}`);

/** A `write:` scope does not include the `read:` scope. */
export type Scope = { [Noun in keyof ScopeParts]: ScopeOf<ScopeParts[Noun]> }[keyof ScopeParts];

/** Every scope, in the order in which the dashboard and the docs list them. */
export const scopes = partsOf("scope").flatMap(({ name, isReadOnly }) =>
  isReadOnly ? [`read:${name}`] : [`read:${name}`, `write:${name}`],
) as [Scope, ...Scope[]];
