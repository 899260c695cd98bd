import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { blobRemovalLock } from "@/lib/platform/blobs/service";
import { env } from "@/lib/platform/env";
import { countByMasterKey } from "@/lib/secrets/service";
import { inDataDirectory, readOrMakeSecrets } from "../embedded/data-directory";
import { embeddedDatabase } from "../embedded/environment";
import {
  type CopiedFile,
  copyHashed,
  listFiles,
  type Manifest,
  manifestName,
} from "./backup-files";

/** PostgreSQL makes their content again when it starts; of the log, only a part is needed. */
const withoutContent =
  /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)$|(^|\/)pgsql_tmp/;
const leftOut = /(^|\/)(postmaster\.(pid|opts)|pg_internal\.init\S*|pgsql_tmp\S*)$/;
/** Copied last, as PostgreSQL's own tool does. */
const controlFile = "global/pg_control";
const segmentName = /^[0-9A-F]{24}$/;

/**
 * Copies the embedded database and the uploaded files to a new directory while everything runs. The
 * copy has every change that was committed before it began, and others that were committed meanwhile.
 * @param withKeys includes the keys that decrypt its secrets
 */
export async function backUp(to: string, { withKeys }: { withKeys: boolean }) {
  const directory = path.resolve(to);
  const database = embeddedDatabase();
  if (!database || env().DATABASE_URL !== database.databaseUrl) {
    throw new Error(
      "This command backs up the embedded database, and DATABASE_URL names another one. Use pg_dump or your provider's backups, and back up the uploaded files too.",
    );
  }
  if (existsSync(directory))
    throw new Error(`${directory} exists. Name a directory that does not.`);

  // An interrupted backup is never mistaken for a complete one.
  const unfinished = `${directory}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  const { SECRET_KEYS, AUDIT_KEYS, NEXTAUTH_SECRET, postgresPassword } = ownSecrets();
  const hasFiles = !env().S3_BUCKET;
  const madeAt = new Date().toISOString();
  const files = await withSession(database.ownerUrl, async (session) => {
    const anchors = await copyHashed(env().AUDIT_ANCHOR_FILE, unfinished, "audit-anchors.jsonl");
    return [
      ...(anchors ? [anchors] : []),
      ...(await copyCluster(session, unfinished)),
      ...(hasFiles ? await copyUploads(unfinished) : []),
    ];
  });
  const inUse = Object.values(await countByMasterKey()).flatMap((counts) => Object.keys(counts));
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const manifest: Manifest = {
    format: 1,
    madeAt,
    parlance: version,
    masterKeys: [...new Set(inUse)],
    postgresPassword,
    ...(withKeys && { keys: { SECRET_KEYS, AUDIT_KEYS, NEXTAUTH_SECRET } }),
    hasFiles,
    files,
  };
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  await writeFile(path.join(unfinished, manifestName), text, { mode: 0o600, flush: true });
  await rename(unfinished, directory);
  return {
    directory,
    madeAt,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    uploads: hasFiles ? files.filter((file) => file.path.startsWith("files/")).length : "in S3",
    keys: withKeys
      ? "included"
      : "not included: store SECRET_KEYS and AUDIT_KEYS separately, because a restore needs them",
  };
}

/** The environment's values, which take precedence over the generated ones. */
function ownSecrets() {
  const { SECRET_KEYS, AUDIT_KEYS, NEXTAUTH_SECRET, ...generated } = readOrMakeSecrets();
  return {
    ...generated,
    SECRET_KEYS: process.env.SECRET_KEYS || SECRET_KEYS,
    AUDIT_KEYS: process.env.AUDIT_KEYS || AUDIT_KEYS,
    NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET || NEXTAUTH_SECRET,
  };
}

/**
 * A session in which no uploaded file is removed, so that each row of the copied database finds its
 * file, and in which PostgreSQL keeps the log that the copy needs.
 */
async function withSession<Result>(
  url: string,
  work: (session: pg.Client) => Promise<Result>,
): Promise<Result> {
  const session = new pg.Client({ connectionString: url });
  session.on("error", () => {});
  await session.connect();
  try {
    await session.query("SELECT pg_advisory_lock($1)", [blobRemovalLock]);
    await session.query(
      "SELECT pg_create_physical_replication_slot('parlance_backup_' || pg_backend_pid(), true, true)",
    );
    return await work(session);
  } finally {
    // Ends the backup, the slot and the lock, also after an error.
    await session.end();
  }
}

async function copyCluster(session: pg.Client, unfinished: string): Promise<CopiedFile[]> {
  const source = inDataDirectory("postgres");
  const copied: CopiedFile[] = [];
  const copy = async (relative: string) => {
    const file = await copyHashed(
      path.join(source, relative),
      unfinished,
      path.join("postgres", relative),
    );
    if (file) copied.push(file);
  };

  const started = await session.query<{ segment: string }>(
    "SELECT pg_walfile_name(pg_backup_start('parlance', fast => true)) AS segment",
  );
  const { files, directories } = await listFiles(source, (place) => !withoutContent.test(place));
  for (const place of directories)
    await mkdir(path.join(unfinished, "postgres", place), { recursive: true, mode: 0o700 });
  for (const file of files) if (!leftOut.test(file) && file !== controlFile) await copy(file);
  await copy(controlFile);
  const stopped = await session.query<{ segment: string; label: string }>(
    "SELECT pg_walfile_name(lsn) AS segment, labelfile AS label FROM pg_backup_stop(wait_for_archive => false)",
  );

  const [first, last] = [started.rows[0]?.segment ?? "", stopped.rows[0]?.segment ?? ""];
  const { files: segments } = await listFiles(path.join(source, "pg_wal"));
  for (const segment of segments)
    if (segmentName.test(segment) && segment >= first && segment <= last)
      await copy(path.join("pg_wal", segment));
  const label = path.join(unfinished, "label");
  await writeFile(label, stopped.rows[0]?.label ?? "", { mode: 0o600 });
  const labelFile = await copyHashed(label, unfinished, "postgres/backup_label");
  await rm(label);
  return labelFile ? [...copied, labelFile] : copied;
}

async function copyUploads(unfinished: string): Promise<CopiedFile[]> {
  const source = path.join(env().BLOB_DIRECTORY, "kept");
  const copied: CopiedFile[] = [];
  for (const relative of (await listFiles(source)).files) {
    const file = await copyHashed(
      path.join(source, relative),
      unfinished,
      path.join("files", relative),
    );
    if (file) copied.push(file);
  }
  return copied;
}
