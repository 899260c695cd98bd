import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { auditKeys, secretKeys } from "@/lib/platform/env-values";
import {
  claimDataDirectory,
  dataDirectory,
  inDataDirectory,
  readJson,
  readOrMakeSecrets,
  type Secrets,
  writeJson,
} from "../embedded/data-directory";
import { startEmbeddedDatabase } from "../embedded/environment";
import { launcher } from "../embedded/launcher";
import { copyHashed, listFiles, type Manifest, manifestName } from "./backup-files";

/**
 * Makes a data directory from a backup, and starts its database once, so that it is known to work.
 * @throws if the directory has a database or files already, the keys are missing, or a file is
 * damaged
 */
export async function restore(from: string) {
  const backup = path.resolve(from);
  const manifest = readManifest(backup);
  if (existsSync(inDataDirectory("postgres"))) {
    throw new Error(
      `${dataDirectory} has a database already. Set DATA_DIR to a new directory, or move that one away.`,
    );
  }
  const uploads = path.join(process.env.BLOB_DIRECTORY || inDataDirectory("blobs"), "kept");
  if (manifest.hasFiles && existsSync(uploads) && readdirSync(uploads).length > 0)
    throw new Error(
      `${uploads} has files already. Set DATA_DIR or BLOB_DIRECTORY to a new directory, or move them away.`,
    );
  const keys = requireKeys(manifest);
  const release = claimDataDirectory();
  const unfinished = inDataDirectory("restoring");
  // Next to their place, because BLOB_DIRECTORY may be on another disk.
  const unfinishedUploads = `${uploads}.restoring`;
  try {
    for (const place of [unfinished, unfinishedUploads])
      await rm(place, { recursive: true, force: true });
    for (const { path: relative, sha256 } of manifest.files) {
      const root = relative.startsWith("files/") ? unfinishedUploads : unfinished;
      const copied = await copyHashed(path.join(backup, relative), root, relative);
      if (copied?.sha256 !== sha256)
        throw new Error(`The backup is damaged: ${relative} is missing or has changed.`);
    }
    const empty = (await listFiles(path.join(backup, "postgres"))).directories;
    for (const place of empty)
      await mkdir(path.join(unfinished, "postgres", place), { recursive: true, mode: 0o700 });

    const { postgresPassword } = manifest;
    writeJson("secrets.json", {
      ...readJson<Partial<Secrets>>("secrets.json"),
      ...keys,
      postgresPassword,
    });
    readOrMakeSecrets();
    if (existsSync(unfinishedUploads)) await rename(path.join(unfinishedUploads, "files"), uploads);
    if (existsSync(path.join(unfinished, "audit-anchors.jsonl")))
      await rename(
        path.join(unfinished, "audit-anchors.jsonl"),
        inDataDirectory("audit-anchors.jsonl"),
      );
    await giveToPostgres(path.join(unfinished, "postgres"));
    // Last, because a directory with a database counts as complete.
    await rename(path.join(unfinished, "postgres"), inDataDirectory("postgres"));
    return { directory: dataDirectory, madeAt: manifest.madeAt, ...(await countRestored()) };
  } finally {
    for (const place of [unfinished, unfinishedUploads])
      await rm(place, { recursive: true, force: true });
    release();
  }
}

function readManifest(backup: string): Manifest {
  const file = path.join(backup, manifestName);
  if (!existsSync(file))
    throw new Error(`${backup} is not a complete backup: it has no ${manifestName}.`);
  const manifest = JSON.parse(readFileSync(file, "utf8")) as Manifest;
  if (manifest.format !== 1)
    throw new Error(`${backup} was made by another version (${manifest.parlance}). Use that one.`);
  return manifest;
}

/**
 * The keys for the restored data, from the environment, the data directory or the backup.
 * @throws if they cannot decrypt its secrets
 */
function requireKeys({ keys, masterKeys }: Manifest): Partial<Secrets> {
  const stored = readJson<Partial<Secrets>>("secrets.json") ?? {};
  const find = (name: "SECRET_KEYS" | "AUDIT_KEYS" | "NEXTAUTH_SECRET") =>
    process.env[name] || stored[name] || keys?.[name];
  const [SECRET_KEYS, AUDIT_KEYS, NEXTAUTH_SECRET] = [
    find("SECRET_KEYS"),
    find("AUDIT_KEYS"),
    find("NEXTAUTH_SECRET"),
  ];
  const isLost = process.env.ACCEPT_LOST_SECRET_KEYS === "true";
  const source =
    "They are in the environment or in secrets.json of the DATA_DIR that was backed up";
  if (!SECRET_KEYS && !isLost) {
    throw new Error(
      `This backup does not contain the keys that decrypt its webhook secrets (${masterKeys.join(", ") || "none are in use"}). Set SECRET_KEYS and AUDIT_KEYS to those of the installation that was backed up. ${source}. If they are lost for good, set ACCEPT_LOST_SECRET_KEYS=true.`,
    );
  }
  if (!AUDIT_KEYS && !isLost)
    throw new Error(
      `This backup does not contain the key that seals its audit log. Set AUDIT_KEYS to that of the installation that was backed up. ${source}.`,
    );
  const known = SECRET_KEYS ? secretKeys.parse(SECRET_KEYS).map(({ id }) => id) : [];
  const missing = masterKeys.filter((id) => !known.includes(id));
  if (missing.length > 0 && !isLost)
    throw new Error(
      `SECRET_KEYS cannot decrypt this backup: it needs ${missing.join(", ")}, and SECRET_KEYS has ${known.join(", ")}. ${source}.`,
    );
  if (AUDIT_KEYS) auditKeys.parse(AUDIT_KEYS);
  return {
    ...(SECRET_KEYS && { SECRET_KEYS }),
    ...(AUDIT_KEYS && { AUDIT_KEYS }),
    ...(NEXTAUTH_SECRET && { NEXTAUTH_SECRET }),
  };
}

/** As root, PostgreSQL runs as another user, which has to own its files. */
async function giveToPostgres(directory: string): Promise<void> {
  const { uid, gid } = launcher([directory]);
  if (uid === undefined) return;
  chownSync(directory, uid, gid ?? uid);
  for (const place of await readdir(directory, { recursive: true }))
    chownSync(path.join(directory, place), uid, gid ?? uid);
}

/** Starts the database, which replays the log that was copied with it. */
async function countRestored(): Promise<{ tenants: number; events: number; documents: number }> {
  const { started, ownerUrl } = await startEmbeddedDatabase();
  const postgres = await started;
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ tenants: number; events: number; documents: number }>(
      `SELECT (SELECT count(*)::int FROM tenants) AS tenants, (SELECT count(*)::int FROM events) AS events,
         (SELECT count(*)::int FROM documents) AS documents`,
    );
    return rows[0] ?? { tenants: 0, events: 0, documents: 0 };
  } finally {
    await client.end();
    await postgres.stop();
  }
}
