import { databaseWaits } from "./database-waits";
import {
  type Parameters,
  type Query,
  type References,
  type Statement,
  type ValuesOf,
  withLockTimeout,
} from "./sql";
import { inputOf } from "./sql-input";

/** One text for two statements: for one change, and for many of its kind together. */
export type ChangeStatement<P extends Parameters = Parameters> = {
  name: string;
  one: Statement<P>;
  /**
   * Each row that it returns has the number of its change as `n`, from 1, and `isMade`. That is false
   * if a statement of its own would make nothing either. A change without a row has to wait for a lock.
   */
  many: (changes: readonly ValuesOf<P>[]) => Query;
};

export type ChangeText<P extends Parameters> = {
  /** A query with a row for each change: its number `n`, and a column for each parameter. */
  input: string;
  /** The columns of `input` in a table that has them too. */
  of: (table: string) => References<P>;
  /**
   * Whether the statement makes many changes. It then makes only those that it can make immediately:
   * one that waits for a lock would make all others wait. If it has to wait all the same, it soon fails.
   */
  isMany: boolean;
};

/**
 * A hand-written statement that makes changes of one kind. `write` is called once for one change,
 * and once for many.
 */
export function changeSql<const P extends Parameters>(
  name: string,
  parameters: P,
  write: (text: ChangeText<P>) => string,
): ChangeStatement<P> {
  const input = inputOf(parameters);
  const of = input.columns;
  const one = write({ input: input.one.sql, of, isMany: false });
  const many = write({
    input: `${input.many.sql} WHERE ${withLockTimeout(`'${databaseWaits.sharedLock}ms'`)}`,
    of,
    isMany: true,
  });
  return {
    name,
    one: (change) => ({ name, text: one, ...input.one.values(change) }),
    many: (changes) => ({ name: `${name}_many`, text: many, ...input.many.values(changes) }),
  };
}
