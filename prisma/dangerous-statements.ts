import { withoutTransaction } from "./run-script";
import { splitStatements, withoutComments } from "./split-statements";

// Finds statements in a migration that would block running processes, or that the version before
// could not live with. `npm run migration` warns of them, and tests/unit/dangerous-statements.test.ts
// refuses them. A comment before a statement allows it: `-- safe: the table is empty`.

type Danger = { statement: string; danger: string };

const allowed = /^--\s*safe:\s*\S.+$/m;

/** Migrations from before the first release never met a database that was in use. */
export const lastBeforeRelease = "20261122235959";

/** `TBL` in the patterns below. Only a table that existed before can have rows. */
const table = '(?:IF (?:NOT )?EXISTS )?(?:ONLY )?"?(?<table>\\w+)"?';

const dangers: [RegExp, string][] = [
  [
    /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY).*? ON TBL/,
    `blocks writes while it builds. Use CREATE INDEX CONCURRENTLY in a migration that starts with "${withoutTransaction}"`,
  ],
  [
    /^ALTER TABLE TBL ADD COLUMN (?!.* DEFAULT ).* NOT NULL/,
    "fails on a table with rows, and the version before does not write the column. Give it a default, or allow NULL",
  ],
  [
    /^ALTER TABLE TBL ADD COLUMN .*(?:DEFAULT (?:gen_random_uuid|clock_timestamp|random|nextval|pg_current_xact_id)|GENERATED ALWAYS|SERIAL)/,
    "rewrites the table. Add the column without it, set the default, and fill the rows in batches",
  ],
  [
    /^ALTER TABLE TBL ALTER COLUMN \S+ (?:SET DATA )?TYPE /,
    "rewrites the table, and the version before expects the earlier type. Add another column",
  ],
  [
    /^ALTER TABLE TBL ALTER COLUMN \S+ SET NOT NULL/,
    "reads the whole table under an exclusive lock. Add a CHECK constraint as NOT VALID, and validate it first",
  ],
  [
    /^ALTER TABLE TBL ADD (?:CONSTRAINT \S+ )?(?:FOREIGN KEY|CHECK)(?!.* NOT VALID)/,
    "reads the whole table under a lock. Add it as NOT VALID, and validate it in another statement",
  ],
  [
    /^ALTER TABLE TBL ADD (?:CONSTRAINT \S+ )?(?:UNIQUE|PRIMARY KEY)(?! USING INDEX)/,
    "builds an index under an exclusive lock. Use CREATE UNIQUE INDEX CONCURRENTLY, and then USING INDEX",
  ],
  [
    /^(?:DROP TABLE TBL|ALTER TABLE (?:ONLY )?\S+ DROP COLUMN)/,
    "removes what the version before still reads. Drop it one version later",
  ],
  [
    /^ALTER (?:TABLE|INDEX|TYPE) TBL RENAME /,
    "renames what the version before uses. Add the new name, and drop the earlier one a version later",
  ],
  [
    /^(?:UPDATE|DELETE FROM) TBL/,
    `locks every row that it changes until the migration ends. Change rows in batches in a migration that starts with "${withoutTransaction}"`,
  ],
  [
    /^(?:VACUUM FULL|CLUSTER|LOCK TABLE|REINDEX (?:TABLE|INDEX) (?!CONCURRENTLY))/,
    "locks the table exclusively",
  ],
];
const patterns = dangers.map(
  ([pattern, danger]) => [new RegExp(pattern.source.replace("TBL", table), "i"), danger] as const,
);

/** @returns the dangerous statements of a migration that no comment allows */
export function findDangers(script: string): Danger[] {
  const isOneByOne = script.startsWith(withoutTransaction);
  const statements = splitStatements(script);
  const created = new Set(
    statements.flatMap((statement) => {
      const found = /^CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/i.exec(withoutComments(statement));
      return found?.[1] ?? [];
    }),
  );
  return statements
    .filter((statement) => !allowed.test(statement))
    .flatMap((statement) => actionsOf(withoutComments(statement)))
    .filter((action) => !(isOneByOne && /^(?:UPDATE|DELETE) /i.test(action)))
    .flatMap((action) =>
      patterns.flatMap(([pattern, danger]) => {
        const found = pattern.exec(action);
        const isNew = created.has(found?.groups?.table ?? "");
        return found && !isNew ? [{ statement: action, danger }] : [];
      }),
    );
}

/** Each action of ALTER TABLE as a statement of its own. */
function actionsOf(statement: string): string[] {
  const [, start, actions] =
    /^(ALTER TABLE (?:IF EXISTS )?(?:ONLY )?\S+) (.*)$/i.exec(statement) ?? [];
  if (!start || !actions) return [statement];
  return actions.split(/,(?![^(]*\))/).map((action) => `${start} ${action.trim()}`);
}
