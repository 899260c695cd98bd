import type pg from "pg";
import { databaseWaits } from "./database-waits";
import { type Db, poolOf, rowsOf } from "./db";
import { atDeadline } from "./deadlines";
import { endOfTurn } from "./end-of-turn";
import type { LookupStatement } from "./lookup-sql";
import { responseTypes } from "./response-types";
import type { Parameters, ValuesOf } from "./sql";
import { isLockTimeout, mayConcernOne } from "./sql-errors";
import { traceShared } from "./trace-shared";
import { type Span, tracer } from "./tracing";

// Most of what it costs to look up a row is to send a statement, to start it, and to wait for it.
// Requests therefore share one, which halves what each of them costs.

/** How many statements of one kind are in progress at most, without slow ones. */
const mostInProgress = 2;
const maximumLookups = 128;

type Lookup<P extends Parameters> = {
  values: ValuesOf<P>;
  resolve: (row: object | undefined) => void;
  reject: (error: unknown) => void;
  span: Span | undefined;
};

type Lane<P extends Parameters> = {
  waiting: Lookup<P>[];
  inProgress: number;
  isScheduled: boolean;
};

/**
 * Looks up rows of one kind. Lookups of one turn of the event loop share a statement, and so do
 * those that arrive while others are in progress. Each statement starts after the lookups that share
 * it, so it finds what was committed before them.
 * @returns a function that looks up a row where the caller reads, but never in its transaction, or
 * without a caller in the primary. It returns the row, with times as text in the API's format, or
 * undefined if there is none
 */
export function joinLookups<P extends Parameters>(
  statement: LookupStatement<P>,
): <Row extends object>(values: ValuesOf<P>, caller?: { db: Db }) => Promise<Row | undefined> {
  const lanes = new WeakMap<pg.Pool, Lane<P>>();

  async function schedule(pool: pg.Pool, lane: Lane<P>): Promise<void> {
    const hasNext = () => lane.waiting.length > 0 && lane.inProgress < mostInProgress;
    if (lane.isScheduled || !hasNext()) return;
    lane.isScheduled = true;
    await endOfTurn();
    lane.isScheduled = false;
    while (hasNext()) void execute(pool, lane);
  }

  async function execute(pool: pg.Pool, lane: Lane<P>): Promise<void> {
    let isCounted = true;
    const end = () => {
      if (!isCounted) return;
      isCounted = false;
      lane.inProgress--;
      void schedule(pool, lane);
    };
    lane.inProgress++;
    const cancel = atDeadline(databaseWaits.slowStatement, end);
    await answer(pool, lane.waiting.splice(0, maximumLookups));
    cancel();
    end();
  }

  async function answer(pool: pg.Pool, lookups: Lookup<P>[]): Promise<void> {
    try {
      const rows = await read(pool, lookups);
      for (const [index, { resolve }] of lookups.entries()) resolve(rows[index]);
    } catch (error) {
      // What a lookup waits for is a lock on a table, which concerns all of them.
      if (lookups.length > 1 && mayConcernOne(error) && !isLockTimeout(error))
        await Promise.all(lookups.map((lookup) => answer(pool, [lookup])));
      else for (const { reject } of lookups) reject(error);
    }
  }

  /** @returns the row of each lookup */
  async function read(pool: pg.Pool, lookups: Lookup<P>[]): Promise<(object | undefined)[]> {
    const values = lookups.map((lookup) => lookup.values);
    const [only] = values;
    const query = only && values.length === 1 ? statement.one(only) : statement.many(values);
    const spans = lookups.map(({ span }) => span);
    const rows = await traceShared(statement.name, spans, () =>
      rowsOf<{ lookup_number?: number }>(pool, query, responseTypes),
    );
    const found: object[] = [];
    for (const { lookup_number: number = 1, ...row } of rows) found[number - 1] = row;
    return found;
  }

  return <Row extends object>(values: ValuesOf<P>, caller?: { db: Db }) =>
    new Promise<Row | undefined>((resolve, reject) => {
      const pool = poolOf(caller);
      const lane = lanes.get(pool) ?? { waiting: [], inProgress: 0, isScheduled: false };
      lanes.set(pool, lane);
      const span = tracer()?.current();
      lane.waiting.push({ values, resolve: resolve as Lookup<P>["resolve"], reject, span });
      void schedule(pool, lane);
    });
}
