import type { ActionResult, ProofRequest } from "@/lib/action-result";
import type { Scope } from "@/lib/api-keys/scopes";
import type { Environment } from "@/prisma/generated/enums";

/** The only time that the key itself is shown. */
export type CreatedKey = { key: string; name: string; environment: Environment; scopes: Scope[] };

export type CreateKey = (form: FormData) => Promise<ActionResult<CreatedKey> | ProofRequest>;
export type RevokeKey = (environment: string, id: string) => Promise<ActionResult>;
