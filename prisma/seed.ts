import { randomBytes } from "node:crypto";
import { hashKey } from "@/lib/api-keys/key-format";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { hashPassword } from "@/lib/auth/password";
import { type Identity, mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { findTenantBySlug } from "@/lib/tenants/service";
import { createAccount, findUserByEmail } from "@/lib/users/service";
import type { Environment } from "@/prisma/generated/enums";

/**
 * The demo's keys and password. They are known only because they were written to a file when they
 * were created.
 */
export type Demo = {
  email: string;
  password: string;
  tenant: { id: string; slug: string };
  keys: Record<Environment, string>;
};

const email = "demo@parlance.local";
const slug = "demo";

/**
 * Creates the tenant for trying the product out, its owner, and a key for each environment. What
 * exists is left alone. In the embedded database, a password or key that is no longer `known` (a
 * lost file) or valid (a revoked key) is replaced.
 * @returns null for a database that others use already, or whose demo another machine made
 */
export async function ensureDemo(
  written: Partial<Demo> | null,
  { isOwnDatabase }: { isOwnDatabase: boolean },
): Promise<Demo | null> {
  const [tenant, user] = await Promise.all([findTenantBySlug(slug), findUserByEmail(db(), email)]);
  const isUsedByOthers = (await db().tenant.findFirst({ where: { slug: { not: slug } } })) !== null;
  if (tenant ? !user : user || isUsedByOthers) return null;

  // The file may belong to another database.
  const known = written?.tenant && written.tenant.id === tenant?.id ? written : null;
  if (tenant && !known && !isOwnDatabase) return null;

  let password = tenant ? known?.password : undefined;
  if (!password) {
    password = randomBytes(12).toString("base64url");
    const passwordHash = await hashPassword(password);
    if (user) await db().user.update({ where: { id: user.id }, data: { passwordHash } });
    else
      await db().$transaction((transaction) =>
        createAccount(transaction, {
          organization: "Demo",
          name: "Demo",
          email,
          passwordHash,
          emailVerifiedAt: new Date(),
        }),
      );
  }

  const { id } = tenant ?? (await db().tenant.findUniqueOrThrow({ where: { slug } }));
  const keys = {
    test: await ensureKey(id, "test", known?.keys?.test),
    live: await ensureKey(id, "live", known?.keys?.live),
  };
  return { email, password, tenant: { id, slug }, keys };
}

async function ensureKey(
  tenantId: string,
  environment: Environment,
  known: string | undefined,
): Promise<string> {
  const row = known
    ? await db().apiKey.findUnique({ where: { hash: new Uint8Array(hashKey(known)) } })
    : null;
  if (known && row && row.tenantId === tenantId && !row.revokedAt) return known;

  const identity: Identity = {
    partition: { tenantId, environment },
    actor: { type: "OPERATOR", id: "seed" },
    request: null,
    address: null,
  };
  const { key } = await mutate(identity, (caller) =>
    createApiKey(caller, { name: `Demo, ${environment}`, scopes: [...scopes] }),
  );
  return key;
}
