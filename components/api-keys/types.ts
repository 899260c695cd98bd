import type { ScopeResource } from "@/lib/api-keys/scope-choices";
import type { Scope } from "@/lib/api-keys/scopes";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";

/** A new key with its secret, which is shown only once. */
export type RevealedKey = {
  key: string;
  name: string;
  environment: Environment;
  scopes: Scope[];
  /** For a rolled key: the hint and expiry of the key that it replaces. */
  replaced?: { hint: string; endsAt: string };
};

/** What the dialogs need to know about a key. */
export type KeySummary = {
  id: string;
  name: string;
  hint: string;
  scopes: Scope[];
  allowedIps: string[];
  rateLimitPerMinute: number | null;
  isCappedByPlan: boolean;
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

/** The options of the key forms. */
export type KeyChoices = {
  tenantSlug: string;
  environment: Environment;
  apiUrl: string;
  presets: ScopePreset[];
  resources: ScopeResource[];
  /** Requests per minute that the plan allows each key. */
  planRateLimit: number;
};
