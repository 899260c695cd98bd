import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Scope } from "@/lib/api-keys/scopes";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";

/** The only time that a key itself is shown. */
export type RevealedKey = {
  key: string;
  name: string;
  environment: Environment;
  scopes: Scope[];
  /** Of a key that was rolled: how the one it replaces is known, and when that one ends. */
  replaced?: { hint: string; endsAt: string };
};

/** What the dialogs need to know of the key that they are about. */
export type KeySummary = {
  id: string;
  name: string;
  hint: string;
  scopes: Scope[];
  allowedIps: string[];
  rateLimitPerMinute: number | null;
  expiresAt: string | null;
  /** In words; null for a key that was never used. */
  lastUsed: string | null;
  requestsLastDay: number;
};

export type KeyActions = {
  create: (form: FormData) => Promise<ActionResult<RevealedKey> | ProofRequest>;
  update: (id: string, form: FormData) => Promise<ActionResult | ProofRequest>;
  roll: (id: string, overlap: string) => Promise<ActionResult<RevealedKey> | ProofRequest>;
  revoke: (id: string) => Promise<ActionResult | ProofRequest>;
};

export type ScopePreset = { name: string; description: string; scopes: readonly Scope[] };

/** What every form about keys offers and says. */
export type KeyChoices = {
  tenantSlug: string;
  environment: Environment;
  apiUrl: string;
  presets: ScopePreset[];
  resources: ScopeResource[];
  /** Requests a minute that the plan grants each key. */
  planRateLimit: number;
};
