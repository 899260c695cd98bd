import type { EventEmitter } from "node:events";
import pg from "pg";
import { readOnlyState } from "./sql-errors";

// pg's query with two changes: it rejects once PostgreSQL has rolled back, and knows its columns. The
// result of a prepared statement has the same columns each time. pg finds their parsers and builds an
// object for their names again for each result, and copies the query first. That was a tenth of the
// CPU time of a request that reads one row.

type Field = Pick<pg.FieldDef, "name" | "dataTypeID" | "format">;

type Shape = {
  types: pg.CustomTypesConfig | undefined;
  fields: Field[];
  parsers: unknown;
  /** A row without values. pg copies it for each row. */
  emptyRow: unknown;
};

/** What pg's types do not declare. */
type Internals = {
  name: string;
  types: pg.CustomTypesConfig | undefined;
  handleRowDescription(message: { fields: Field[] }): void;
  handleError(error: Error, connection: EventEmitter): void;
  _accumulateRows: boolean;
  _result: {
    _types: pg.CustomTypesConfig | undefined;
    fields: Field[];
    _parsers: unknown;
    _prebuiltEmptyResultObject: unknown;
  };
};

const shapes = new Map<string, Shape>();

export type PreparedStatement = {
  /** Stands for one text in every process; see `statementName`. */
  name: string;
  text: string;
  values: unknown[];
  types?: pg.CustomTypesConfig;
};

/** A query of a named statement, for `query` of a pool or client. */
export class PreparedQuery extends pg.Query {
  constructor({ name, text, values, types }: PreparedStatement) {
    super(text, values);
    Object.assign(internals(this), { name, types })._result._types = types;
  }

  handleRowDescription(message: { fields: Field[] }): void {
    const query = internals(this);
    const { name, types, _result: result } = query;
    const known = shapes.get(name);
    if (known && known.types === types && isSame(known.fields, message.fields)) {
      result.fields = known.fields;
      result._parsers = known.parsers;
      result._prebuiltEmptyResultObject = known.emptyRow;
      query._accumulateRows = true;
      return;
    }
    parent.handleRowDescription.call(query, message);
    shapes.set(name, {
      types,
      fields: result.fields,
      parsers: result._parsers,
      emptyRow: result._prebuiltEmptyResultObject,
    });
  }

  /**
   * PostgreSQL reports an error before it rolls back, and pg would reject then. The next statement, on
   * another connection, could find rows that are still locked by this one, and leave them out.
   */
  handleError(error: Error, connection: EventEmitter): void {
    const reject = () => {
      connection.off("readyForQuery", reject).off("end", reject);
      parent.handleError.call(internals(this), error, connection);
    };
    if (endsConnection(error as pg.DatabaseError)) {
      reject();
      return;
    }
    // If the connection ends before that, pg and its pool learn of it first.
    connection.once("readyForQuery", reject).once("end", reject);
  }
}

/**
 * Whether nothing comes after this error. One that is not PostgreSQL's is that of a lost connection.
 * After a FATAL one, PostgreSQL ends it. A connection to a server that only reads is destroyed (db.ts).
 */
const endsConnection = ({ severity, code }: pg.DatabaseError): boolean =>
  severity === undefined || severity === "FATAL" || severity === "PANIC" || code === readOnlyState;

const internals = (query: pg.Query) => query as unknown as Internals;
const parent = pg.Query.prototype as unknown as Internals;

/** A migration can change a statement's columns while this process runs. */
const isSame = (known: Field[], fields: Field[]): boolean =>
  known.length === fields.length &&
  known.every((field, index) => {
    const other = fields[index];
    return (
      field.dataTypeID === other?.dataTypeID &&
      field.format === other.format &&
      field.name === other.name
    );
  });
