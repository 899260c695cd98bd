import type { Scope } from "@/lib/api-keys/scopes";
import type { Environment } from "@/prisma/generated/enums";

/** What the form for a new key knows of its last attempt. */
export type CreateKeyState =
  | { outcome: "idle" }
  | { outcome: "refused"; message?: string; errors?: { name?: string; scopes?: string; date?: string } }
  | { outcome: "created"; key: string; name: string; environment: Environment; scopes: Scope[] };

export type RevokeKeyResult = { outcome: "revoked" } | { outcome: "refused"; message: string };

export type CreateKey = (before: CreateKeyState, form: FormData) => Promise<CreateKeyState>;
export type RevokeKey = (environment: string, id: string) => Promise<RevokeKeyResult>;
