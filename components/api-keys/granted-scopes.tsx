import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import { levelNames, levelOf } from "./describe-key";

/** The access that a key's scopes grant to each resource. */
export function GrantedScopes({
  resources,
  scopes,
}: {
  resources: ScopeResource[];
  scopes: string[];
}) {
  return (
    <dl className="divide-y divide-line">
      {resources.map(({ name, label }) => {
        const level = levelOf(scopes, name);
        return (
          <div key={name} className="flex justify-between gap-4 py-1.5 first:pt-0 last:pb-0">
            <dt>{label}</dt>
            <dd className={level === "none" ? "text-muted" : "font-medium"}>{levelNames[level]}</dd>
          </div>
        );
      })}
    </dl>
  );
}
