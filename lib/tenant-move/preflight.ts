import { keyIdOf } from "@/lib/audit/hash-chain";
import { env } from "@/lib/platform/env";
import { requireNoOtherUsers } from "./rows";
import { readRow, type Sessions } from "./sessions";

/** @throws Error with a sentence that says what to change before the tenant can be moved */
export async function requireMovable(
  sessions: Sessions,
  { id: tenantId, slug }: { id: string; slug: string },
  origin: string,
): Promise<void> {
  const { source, target } = sessions;
  await requireTwoClusters(sessions);
  await requireSameMigrations(sessions);
  await requireSameKeys(target);
  const settings = await readRow<{ level: string }>(
    source,
    "SELECT current_setting('wal_level') AS level",
  );
  if (settings?.level !== "logical")
    throw new Error(
      "PostgreSQL of the source must have wal_level = logical. Run ALTER SYSTEM SET wal_level = 'logical', and restart it.",
    );
  await requireNoDeletion(source, tenantId);
  const taken = await readRow(
    target,
    "SELECT 1 FROM tenants WHERE slug = $2 AND id <> $1 OR id = $1 AND moved_to IS NULL",
    [tenantId, slug],
  );
  if (taken) throw new Error(`The target already has an organization with the slug "${slug}".`);
  await requireSharedFiles(sessions, tenantId);
  await requireNoOtherUsers(sessions, tenantId);
  await requireReadyTarget(origin);
}

export async function requireNoDeletion(
  source: Sessions["source"],
  tenantId: string,
): Promise<void> {
  const remains = await readRow(
    source,
    "SELECT 1 FROM tenants WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM tenant_deletions WHERE tenant_id = $1)",
    [tenantId],
  );
  if (!remains) throw new Error("The organization is being deleted.");
}

/** The database of one cluster would wait for itself forever. */
async function requireTwoClusters({ source, target }: Sessions): Promise<void> {
  const query = "SELECT system_identifier::text AS id FROM pg_control_system()";
  const [here, there] = await Promise.all([
    readRow<{ id: string }>(source, query),
    readRow<{ id: string }>(target, query),
  ]);
  if (here?.id === there?.id)
    throw new Error("The target must be the database of another PostgreSQL cluster.");
}

async function requireSameMigrations({ source, target }: Sessions): Promise<void> {
  const query =
    "SELECT string_agg(migration_name, ',' ORDER BY migration_name) AS names FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL";
  const [here, there] = await Promise.all([
    readRow<{ names: string }>(source, query),
    readRow<{ names: string }>(target, query).catch(() => undefined),
  ]);
  if (here?.names !== there?.names)
    throw new Error(
      "The target's database does not have the same migrations as the source's. Run the same version of Parlance in both.",
    );
}

/** By the names of the keys that the target's rows were sealed with. They contain a fingerprint. */
async function requireSameKeys(target: Sessions["target"]): Promise<void> {
  const used = await readRow<{ sealing: string[]; audit: string[] }>(
    target,
    `SELECT ARRAY(SELECT DISTINCT split_part(ciphertext, '.', 1) FROM webhook_secrets WHERE tenant_id IN (SELECT id FROM tenants)
         UNION SELECT split_part(sealed_secret, '.', 1) FROM authenticator_apps) AS sealing,
       ARRAY(SELECT DISTINCT key_id FROM audit_entries WHERE tenant_id IN (SELECT id FROM tenants)) AS audit`,
  );
  const { SECRET_KEYS, AUDIT_KEYS } = env();
  const ours = new Set(SECRET_KEYS.map(({ id }) => id));
  if (used?.sealing.some((id) => !ours.has(id)))
    throw new Error(
      "The target encrypts with other SECRET_KEYS. Add each installation's keys to the other's, and run secrets:reencrypt.",
    );
  const audits = new Set(AUDIT_KEYS.map(keyIdOf));
  if (used?.audit.some((id) => !audits.has(id)))
    throw new Error(
      "The target seals its audit log with other AUDIT_KEYS. Add each installation's keys to the other's.",
    );
}

/** Files on a disk are not copied. */
export async function requireSharedFiles({ source }: Sessions, tenantId: string): Promise<void> {
  if (env().S3_BUCKET) return;
  const file = await readRow(
    source,
    "SELECT 1 FROM files WHERE tenant_id = $1 UNION ALL SELECT 1 FROM documents WHERE tenant_id = $1 LIMIT 1",
    [tenantId],
  );
  if (file)
    throw new Error(
      "The organization has files on this installation's disk. Only files in a bucket (S3_BUCKET) that both installations use can be moved.",
    );
}

async function requireReadyTarget(origin: string): Promise<void> {
  const status = await fetch(`${origin}/ready`).then(
    (response) => response.status,
    () => null,
  );
  if (status !== 200)
    throw new Error(`No installation is ready at ${origin}. Start its web, or correct --origin.`);
}
