import { nameOf, readRow, type Sessions } from "./sessions";

// The feed is in the order of (xact, id), where `xact` is the transaction that wrote the event. In
// another cluster these numbers mean nothing: they may be ahead of its own, and its next events would
// then sort before them. So the target's events get new numbers, small ones that have the same order.
// As long as ids ascend, events share a number, and each id that is lower than the one before it
// takes the next. A follower's cursor is an id, so it continues exactly where it was.

/** The first id that a cluster gives to a transaction. */
const firstXact = 3n;
const chunkRows = 5_000;
/** Numbers are taken this far ahead, so that it is not done for each chunk. */
const reserve = 10_000n;

type Position = { environment: string; xact: string; id: string };
type Placed = Position & { value: bigint };
type Step = { xact: bigint; id: string; value: bigint };

/** Gives the events of one tenant their new numbers. It must see them in the order of the feed. */
function newNumbering() {
  const stepsOf = new Map<string, Step[]>();
  const lastIds = new Map<string, string>();

  function place({ environment, xact, id }: Position): bigint {
    const steps = stepsOf.get(environment) ?? [];
    stepsOf.set(environment, steps);
    const last = steps.at(-1);
    if (!last || id < (lastIds.get(environment) ?? ""))
      steps.push({ xact: BigInt(xact), id, value: last ? last.value + 1n : firstXact });
    lastIds.set(environment, id);
    return (steps.at(-1) as Step).value;
  }

  /** For a position among those that were placed. */
  function find({ environment, xact, id }: Position): bigint {
    const steps = stepsOf.get(environment) ?? [];
    let [low, high] = [0, steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const step = steps[middle] as Step;
      const number = BigInt(xact);
      const isAfter = step.xact > number || (step.xact === number && step.id > id);
      if (isAfter) high = middle;
      else low = middle + 1;
    }
    return steps[low - 1]?.value ?? firstXact;
  }

  return { place, find };
}

/**
 * Renumbers the tenant's events in the target. The first call takes those that no running
 * transaction can precede, while the source still accepts writes. The second one takes the rest.
 */
export function newFeedOrder({ source, target }: Sessions, tenantId: string) {
  const numbering = newNumbering();
  let placedBefore = "0";
  let reached = 0n;

  /** Transactions of the target get higher numbers than `value` from now on. */
  async function reach(value: bigint): Promise<void> {
    if (value < reached) return;
    const row = await readRow<{ next: string }>(
      target,
      "SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next",
    );
    const next = BigInt(row?.next ?? 0);
    const wanted = value + reserve;
    reached = next;
    if (value < next) return;
    await target.query("SET synchronous_commit = off");
    await target.query(
      `DO $$ BEGIN FOR number IN 1..${wanted - next} LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    );
    await target.query("RESET synchronous_commit");
    reached = wanted;
  }

  async function store(table: "events" | "purged_events", rows: Placed[]): Promise<void> {
    if (rows.length === 0) return;
    for (const { value } of rows) await reach(value);
    await target.query(
      `UPDATE ${table} row SET xact = n.xact::xid8
       FROM unnest($2::"Environment"[], $3::text[], $4::text[]) AS n (environment, id, xact)
       WHERE row.tenant_id = $1 AND row.environment = n.environment AND row.id = n.id`,
      [
        tenantId,
        rows.map(({ environment }) => environment),
        rows.map(({ id }) => id),
        rows.map(({ value }) => String(value)),
      ],
    );
  }

  /** Reads in chunks, because there can be millions. */
  async function readChunks<Row>(
    query: string,
    values: unknown[],
    each: (rows: Row[]) => Promise<void>,
  ): Promise<void> {
    const cursor = `${nameOf(tenantId)}_feed`;
    await source.query("BEGIN");
    try {
      await source.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`, values);
      for (;;) {
        const { rows } = await source.query(`FETCH ${chunkRows} FROM ${cursor}`);
        if (rows.length === 0) break;
        await each(rows as Row[]);
      }
    } finally {
      await source.query("COMMIT");
    }
  }

  const eventsBetween = (table: string, isPurged: boolean) =>
    `SELECT environment, xact, id, ${isPurged} AS "isPurged" FROM ${table}
     WHERE tenant_id = $1 AND xact >= $2::xid8 AND xact < $3::xid8`;

  async function placeBetween(from: string, before: string): Promise<void> {
    await readChunks<Position & { isPurged: boolean }>(
      `SELECT environment::text, xact::text, id, "isPurged"
       FROM (${eventsBetween("events", false)} UNION ALL ${eventsBetween("purged_events", true)}) AS feed
       ORDER BY feed.environment, feed.xact, feed.id`,
      [tenantId, from, before],
      async (rows) => {
        const placed = rows.map((row) => ({ ...row, value: numbering.place(row) }));
        await store(
          "events",
          placed.filter(({ isPurged }) => !isPurged),
        );
        await store(
          "purged_events",
          placed.filter(({ isPurged }) => isPurged),
        );
      },
    );
  }

  return {
    /** @param caughtUp resolves once the target has all that is committed in the source */
    placeFinished: async (caughtUp: () => Promise<void>) => {
      const row = await readRow<{ oldest: string }>(
        source,
        "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS oldest",
      );
      const before = row?.oldest ?? "0";
      await caughtUp();
      await placeBetween("0", before);
      placedBefore = before;
    },
    /** Call it after writes were stopped and everything was replicated. */
    placeRest: async () => {
      await placeBetween(placedBefore, "18446744073709551615");
      // Events that were placed, and deleted since.
      await readChunks<Position>(
        `SELECT environment::text, xact::text, id FROM purged_events WHERE tenant_id = $1 AND xact < $2::xid8`,
        [tenantId, placedBefore],
        (rows) =>
          store(
            "purged_events",
            rows.map((row) => ({ ...row, value: numbering.find(row) })),
          ),
      );
    },
  };
}
