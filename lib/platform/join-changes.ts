import { setImmediate } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeStatement } from "./change-sql";
import { databaseWaits } from "./database-waits";
import { poolSize, runSql } from "./db";
import { atDeadline } from "./deadlines";
import { endOfTurn } from "./end-of-turn";
import { unavailable } from "./errors";
import { createLimit } from "./limit";
import type { Parameters, ValuesOf } from "./sql";
import { mayConcernOne } from "./sql-errors";
import { traceShared } from "./trace-shared";
import { type Span, tracer } from "./tracing";

// Most of what a small change costs PostgreSQL is the start and the end of its statement, and the
// commit. Requests that arrive while others are in progress therefore share one: with 16 of them, a
// message costs a third.

/**
 * While fewer changes than this are in progress, others start immediately. Under load, the changes
 * of one statement are more than that, and those that arrive meanwhile share the next one.
 */
const fewInProgress = 3;
const maximumChanges = { busy: 32, other: 16 };
const kinds = { busy: 2, other: 4 };
/** The most changes of one lane in a statement, so that a busy lane delays the others little. */
const maximumOfLane = 16;
/**
 * The maximum number of shared statements of one kind in progress. It is reached only while the
 * database is slow, when more would not help.
 */
const mostShared = 3;
/** How many advisory locks the shared statements of a process hold at most. */
export const maximumSharedLocks =
  mostShared * (kinds.busy * maximumChanges.busy + kinds.other * maximumChanges.other);
/** Characters in the values of one statement, so that a large change delays few others. */
const maximumCharacters = 262_144;
/** The pause before a change that was left out is tried again. */
const leftOutMs = 50;

/** Of a statement with many changes. A change without a row has to wait for a lock. */
type RowOfMany = { n: number; isMade: boolean };

/** The changes of a lane that are in progress. Others of the lane wait until there are none. */
type Turn = { changes: number };

type Change<P extends Parameters> = {
  values: ValuesOf<P>;
  lane: string | undefined;
  turn: Turn | undefined;
  /** From `performance.now()`. */
  arrivedMs: number;
  resolve: (row: object | undefined) => void;
  reject: (error: unknown) => void;
  span: Span | undefined;
};

/** A lane of its own for something in an environment. No tenant waits for another, even if both use the same id. */
export const laneIn = (
  { tenantId, environment }: { tenantId: string; environment: string },
  id: string,
): string => `${tenantId} ${environment} ${id}`;

type JoinOptions<P extends Parameters> = {
  /**
   * The lane of a change. A lane has one statement at a time, unless a shared one is slow. Its changes
   * are made in the order in which they arrived, but a change that a statement leaves out comes after
   * the others of that statement.
   */
  laneOf?: (values: ValuesOf<P>) => string | undefined;
  /** `busy` if many of them may arrive together. */
  load?: keyof typeof maximumChanges;
};

/**
 * Makes changes of one kind, each completely or not at all, as if it had a statement of its own.
 * Changes that arrive while statements are in progress are made together by the next one. If that
 * leaves a change out or refuses it, the change is made by a statement of its own, which can wait.
 * @returns a function that makes a change, and returns its row, or undefined if nothing was written
 */
export function joinChanges<P extends Parameters>(
  statement: ChangeStatement<P>,
  { laneOf = () => undefined, load = "other" }: JoinOptions<P> = {},
): <Row extends object>(values: ValuesOf<P>) => Promise<Row | undefined> {
  type Waiting = Change<P>;
  let waiting: Waiting[] = [];
  const lanes = new Map<string, Turn>();
  let inProgress = 0;
  let shared = 0;
  let isScheduled = false;

  const hasRoom = () => inProgress < fewInProgress && shared < mostShared;

  /** Everything that arrived in this turn of the event loop can then be in the next statement. */
  function schedule(): void {
    if (isScheduled || waiting.length === 0 || !hasRoom()) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      startNext();
    });
  }

  /** @returns whether a statement was started */
  function startNext(): boolean {
    let hasStarted = false;
    while (hasRoom()) {
      const taken = take();
      if (taken.length === 0) break;
      void execute(taken);
      hasStarted = true;
    }
    return hasStarted;
  }

  /** The next changes, in the order in which they arrived. */
  function take(): Waiting[] {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const started = new Set<Turn>();
    let characters = 0;
    for (const change of waiting) {
      if (isLate(change)) {
        fail(change, unavailable());
        continue;
      }
      const isFull = taken.length >= maximumChanges[load] || characters > maximumCharacters;
      if (isFull || !enterLane(change, started)) {
        left.push(change);
        continue;
      }
      characters += charactersOf(change.values);
      taken.push(change);
    }
    waiting = left;
    return taken;
  }

  /**
   * @param started the turns of this statement, which the change can join
   * @returns whether it is the turn of the change
   */
  function enterLane(change: Waiting, started: Set<Turn>): boolean {
    const { lane } = change;
    if (lane === undefined) return true;
    const turn = lanes.get(lane) ?? { changes: 0 };
    if (turn === change.turn) return true;
    if (turn.changes > 0 && !started.has(turn)) return false;
    if (turn.changes >= maximumOfLane) return false;
    turn.changes++;
    change.turn = turn;
    lanes.set(lane, turn);
    started.add(turn);
    return true;
  }

  async function execute(changes: Waiting[]): Promise<void> {
    inProgress += changes.length;
    let isInProgress = true;
    const end = () => {
      if (!isInProgress) return;
      isInProgress = false;
      inProgress -= changes.length;
      schedule();
    };
    const cancel = atDeadline(databaseWaits.slowStatement, end);
    const [only] = changes;
    if (only && changes.length === 1 && waits.hasRoom()) await makeWaiting(only);
    else await makeTogether(changes, end);
    cancel();
    end();
  }

  /**
   * With one statement. The next one is sent before the requests of this one respond, because
   * PostgreSQL would have nothing to do while their responses are written.
   */
  async function makeTogether(changes: Waiting[], onEnd = () => {}): Promise<void> {
    let isSent = false;
    const cancel = atDeadline(databaseWaits.slowStatement, () => changes.forEach(leaveLane));
    const end = () => {
      cancel();
      shared--;
      schedule();
    };
    shared++;
    let rows: RowOfMany[];
    try {
      const query = statement.many(changes.map(({ values }) => values));
      rows = await traced(changes, () => {
        isSent = true;
        return runSql<RowOfMany>(query);
      });
    } catch (error) {
      end();
      return retry(changes, error, isSent);
    }
    end();
    onEnd();
    const decided = new Map(rows.map((row) => [changes[row.n - 1], row]));
    const leftOut = changes.filter((change) => !decided.has(change));
    for (const change of firstOfLanes(leftOut)) void makeLeftOut(change);
    for (const change of decided.keys()) if (change) leaveLane(change);
    if (startNext()) await endOfTurn();
    for (const [change, row] of decided) change?.resolve(row.isMade ? row : undefined);
  }

  /**
   * If PostgreSQL refused the statement, perhaps because of only one of its changes, each half is
   * tried again. One change alone gets a statement that can wait, unless others already wait in all
   * connections that may: then it is first tried without waiting. If it is not known what was made,
   * every change fails.
   */
  async function retry(changes: Waiting[], error: unknown, isSent: boolean): Promise<void> {
    if (isSent && !mayConcernOne(error)) {
      for (const change of changes) fail(change, error);
      return;
    }
    const late = changes.filter(isLate);
    const rest = firstOfLanes(changes.filter((change) => !late.includes(change)));
    for (const change of late) fail(change, unavailable());
    const middle = Math.ceil(rest.length / 2);
    const halves = [rest.slice(0, middle), rest.slice(middle)].filter((half) => half.length > 0);
    await Promise.all(
      halves.map((half) => {
        const [only] = half;
        const mayWait = half.length === 1 && (changes.length === 1 || waits.hasRoom());
        return only && mayWait ? makeWaiting(only) : makeTogether(half);
      }),
    );
  }

  /**
   * The other changes wait for the first one of their lane, ahead of those that arrived later. Then
   * they share a statement again.
   */
  function firstOfLanes(changes: Waiting[]): Waiting[] {
    const first = new Map<string | Waiting, Waiting>();
    const others: Waiting[] = [];
    for (const change of changes) {
      const lane = change.lane ?? change;
      if (first.has(lane)) others.push(change);
      else first.set(lane, change);
    }
    others.forEach(leaveLane);
    waiting = [...others, ...waiting];
    schedule();
    return [...first.values()];
  }

  /**
   * If others wait for locks in all connections that may, the change is tried with the next ones
   * again, because its own lock may end first.
   */
  async function makeLeftOut(change: Waiting): Promise<void> {
    if (waits.hasRoom()) return makeWaiting(change);
    await sleep(leftOutMs);
    waiting.push(change);
    schedule();
  }

  /** With a statement that can wait for locks. */
  const makeWaiting = (change: Waiting): Promise<void> =>
    waits.run(async () => {
      if (isLate(change)) fail(change, unavailable());
      else await makeAlone(change);
    });

  async function makeAlone(change: Waiting): Promise<void> {
    try {
      const [row] = await traced([change], () => runSql(statement.one(change.values)));
      change.resolve(row);
      leaveLane(change);
    } catch (error) {
      fail(change, error);
    }
  }

  function fail(change: Waiting, error: unknown): void {
    change.reject(error);
    leaveLane(change);
  }

  /** After the last change of a turn, the next ones of the lane can be made. */
  function leaveLane(change: Waiting): void {
    const { lane, turn } = change;
    if (lane === undefined || turn === undefined) return;
    change.turn = undefined;
    turn.changes--;
    if (turn.changes > 0 || lanes.get(lane) !== turn) return;
    lanes.delete(lane);
    schedule();
  }

  const traced = <Result>(changes: Waiting[], work: () => Promise<Result>): Promise<Result> =>
    traceShared(
      statement.name,
      changes.map(({ span }) => span),
      work,
    );

  return <Row extends object>(values: ValuesOf<P>) =>
    new Promise<Row | undefined>((resolve, reject) => {
      const span = tracer()?.current();
      const lane = laneOf(values);
      const arrivedMs = performance.now();
      waiting.push({
        values,
        lane,
        turn: undefined,
        arrivedMs,
        resolve: resolve as Waiting["resolve"],
        reject,
        span,
      });
      schedule();
    });
}

/** Whether a change has already waited as long as a statement may wait for a lock. It is then refused. */
const isLate = ({ arrivedMs }: { arrivedMs: number }): boolean =>
  performance.now() - arrivedMs > databaseWaits.lock;

/**
 * Changes that wait for a lock take at most a third of this process's connections, so that the locks
 * of one tenant do not hold up the others.
 */
const waits = createLimit(() => Math.max(1, Math.floor(poolSize() / 3)));

function charactersOf(values: object): number {
  let characters = 0;
  for (const value of Object.values(values))
    if (typeof value === "string") characters += value.length;
  return characters;
}
