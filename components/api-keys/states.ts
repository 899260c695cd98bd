import type { Scope } from "@/lib/api-keys/scopes";
import type { Environment } from "@/prisma/generated/enums";

export type CreateKeyResult =
  | { outcome: "refused"; message?: string; errors?: { name?: string; scopes?: string; date?: string } }
  | { outcome: "created"; key: string; name: string; environment: Environment; scopes: Scope[] };

export type RevokeKeyResult = { outcome: "revoked" } | { outcome: "refused"; message: string };

export type CreateKey = (form: FormData) => Promise<CreateKeyResult>;
export type RevokeKey = (environment: string, id: string) => Promise<RevokeKeyResult>;
