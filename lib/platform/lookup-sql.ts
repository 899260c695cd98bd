import {
  type Parameters,
  type ParameterType,
  type Query,
  type References,
  type Statement,
  sql,
  type ValuesOf,
} from "./sql";
import { inputOf } from "./sql-input";

/** Two statements: for one lookup, and for many of its kind together. */
export type LookupStatement<P extends Parameters = Parameters> = {
  name: string;
  one: Statement<P>;
  /** Each row that it returns has the number of its lookup as `lookup_number`, from 1. */
  many: (lookups: readonly ValuesOf<P>[]) => Query;
};

/** Without clocks: the values of many lookups are passed on as they are given. */
type KeyParameters = Readonly<Record<string, Exclude<ParameterType, "clock">>>;

/** A hand-written statement that reads at most one row, by a key. */
export function lookupSql<const P extends KeyParameters>(
  name: string,
  parameters: P,
  write: (p: References<P>) => string,
): LookupStatement<P> {
  const input = inputOf(parameters);
  // Behind OFFSET 0, each lookup has the plan that it has alone.
  const many = `SELECT i.n AS lookup_number, found.* FROM (${input.many.sql}) AS i
    CROSS JOIN LATERAL (${write(input.columns("i"))} OFFSET 0) AS found`;
  return {
    name,
    one: sql(name, parameters, write),
    many: (lookups) => ({ name: `${name}_many`, text: many, ...input.many.values(lookups) }),
  };
}
