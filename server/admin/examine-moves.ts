import { pool } from "@/lib/platform/db";
import type { MoveState } from "@/lib/tenant-move/guard";
import { commandLockOf } from "@/lib/tenant-move/state";
import type { Finding } from "./doctor";

// Moves of organizations (lib/tenant-move) that began and did not end, in this installation as the
// source or as the target.

type Move = {
  tenant: string;
  /** Null if only what is in `left` says that there was a move. */
  state: MoveState | null;
  origin: string | null;
  isRunning: boolean;
  stopsWrites: boolean;
  /** What it created and did not remove. */
  left: string[];
  /** Of PostgreSQL's log, which a replication slot stores until it is read. */
  loggedMebibytes: number;
};

const subject = "moves";

const isOfMove = (name: string) => String.raw`${name} LIKE 'parlance\_move\_%'`;

const movesText = `
  WITH remains AS (
    SELECT regexp_replace(tgname, '_(write|delete)$', '') AS object, 'triggers' AS what, 0::numeric AS bytes
    FROM pg_trigger WHERE ${isOfMove("tgname")} AND tgparentid = 0
    UNION ALL
    SELECT pubname, 'a publication', 0 FROM pg_publication WHERE ${isOfMove("pubname")}
    UNION ALL
    SELECT subname, 'a subscription', 0 FROM pg_subscription
    WHERE ${isOfMove("subname")} AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())
    UNION ALL
    SELECT slot_name, 'a replication slot', coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)
    FROM pg_replication_slots WHERE ${isOfMove("slot_name")} AND database = current_database()
  ),
  grouped AS (
    SELECT object::text, array_agg(DISTINCT what ORDER BY what) AS left, sum(bytes) AS bytes FROM remains GROUP BY object
  ),
  moves AS (SELECT 'parlance_move_' || lower(tenant_id) AS object, * FROM tenant_moves)
  SELECT coalesce(t.slug, m.tenant_id, object) AS tenant, m.state, m.target_origin AS origin,
    coalesce(m.state IN ('DRAINING', 'STOPPED') AND m.stopped_until > clock_timestamp(), false) AS "stopsWrites",
    coalesce(g.left, '{}') AS left, ceil(coalesce(g.bytes, 0) / 1048576)::int AS "loggedMebibytes",
    CASE WHEN m.state IN ('INCOMING', 'OPENED')
      THEN EXISTS (SELECT 1 FROM pg_stat_activity WHERE application_name = 'parlance tenant move' AND datname = current_database())
      ELSE EXISTS (
        SELECT 1 FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted AND ARRAY[l.classid::int8, l.objid::int8] =
          (SELECT array_agg(key::int8 & 4294967295) FROM unnest(ARRAY[${commandLockOf("coalesce(m.tenant_id, t.id)")}]) AS key))
    END AS "isRunning"
  FROM moves m
  FULL JOIN grouped g USING (object)
  LEFT JOIN tenants t ON 'parlance_move_' || lower(t.id) = object
  ORDER BY 1`;

export async function examineMoves(): Promise<Finding> {
  const { rows } = await pool().query<Move>(movesText);
  const problems = rows.filter(({ isRunning }) => !isRunning).map(problemOf);
  if (problems.length > 0) return { subject, problem: problems.join(". ") };
  if (rows.length === 0) return { subject, fact: "no organization is being moved" };
  const running = rows.map(({ tenant, origin }) => (origin ? `${tenant} to ${origin}` : tenant));
  return { subject, fact: `in progress: ${running.join(", ")}` };
}

function problemOf({ tenant, state, origin, stopsWrites, left, loggedMebibytes }: Move): string {
  const base = `npm run admin -- tenant:move --tenant ${tenant}`;
  const command = `MOVE_TO_DATABASE_URL=… ${base}`;
  const to = origin ? ` to ${origin}` : "";
  const parts = [...left, ...(stopsWrites ? ["refused writes for some more seconds"] : [])];
  const remains = parts.length > 0 ? `. It left ${parts.join(", ")}` : "";
  const log =
    loggedMebibytes > 0
      ? `. PostgreSQL stores ${loggedMebibytes} MiB of its log for it, and soon more`
      : "";
  if (state === "MOVED")
    return `the organization ${tenant} was moved${to}, but the command was interrupted before it deleted the rows here. Complete it with \`${command} --origin ${origin}\``;
  if (state === "INCOMING")
    return `a move of the organization ${tenant} to this installation was interrupted${remains} and rows that were copied. Run \`tenant:move\` again in the installation that has the organization, or undo it there with \`--abort\``;
  if (state === "OPENED")
    return `the organization ${tenant} was moved to this installation, but the one that it left may still have its rows. Run \`tenant:move\` again there, or, if that installation is gone for good, \`${base} --forget-copy\` here`;
  // Nothing else is left after `--abort` could not reach the target.
  const copy = state && parts.length === 0 ? ", and its database may have a copy" : "";
  const gone = state ? `. If the target is gone for good, run \`${base} --forget-copy\`` : "";
  return `the move of the organization ${tenant}${to} was interrupted${copy}${remains}${log}. Run the command again, or undo the move with \`${command} --abort\`${gone}`;
}
