import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findDangers, lastBeforeRelease } from "@/prisma/dangerous-statements";
import { migrationNames, migrationsDirectory } from "@/prisma/migration-files";
import { splitStatements } from "@/prisma/split-statements";

test.each([
  ["CREATE INDEX a_idx ON customers (name);", "blocks writes"],
  ['CREATE UNIQUE INDEX "a_key" ON "customers"("name");', "blocks writes"],
  ['ALTER TABLE "customers" ADD COLUMN     "age" INTEGER NOT NULL;', "fails on a table with rows"],
  [
    "ALTER TABLE customers ADD COLUMN a INTEGER DEFAULT 1,\nADD COLUMN b TEXT NOT NULL;",
    "fails on a table with rows",
  ],
  ["ALTER TABLE messages ADD COLUMN x xid8 NOT NULL DEFAULT pg_current_xact_id();", "rewrites"],
  ["ALTER TABLE customers ALTER COLUMN age SET DATA TYPE BIGINT;", "rewrites"],
  ["ALTER TABLE customers ALTER COLUMN age TYPE BIGINT;", "rewrites"],
  ["ALTER TABLE customers ALTER COLUMN age SET NOT NULL;", "reads the whole table"],
  ["ALTER TABLE customers ADD CONSTRAINT c CHECK (age > 0);", "reads the whole table"],
  [
    "ALTER TABLE customers ADD CONSTRAINT f FOREIGN KEY (a) REFERENCES agents (id);",
    "reads the whole table",
  ],
  ["ALTER TABLE customers ADD CONSTRAINT u UNIQUE (a);", "builds an index"],
  ["ALTER TABLE customers DROP COLUMN age;", "the version before still reads"],
  ["DROP TABLE customers;", "the version before still reads"],
  ["ALTER TABLE customers RENAME COLUMN age TO years;", "version before uses"],
  ["ALTER TYPE \"Role\" RENAME VALUE 'A' TO 'B';", "version before uses"],
  ["UPDATE customers SET age = 1;", "locks every row"],
  ["DELETE FROM customers;", "locks every row"],
  ["VACUUM FULL customers;", "exclusively"],
])("dangerous: %s", (script, danger) => {
  expect(findDangers(script)).toMatchObject([{ danger: expect.stringContaining(danger) }]);
  expect(findDangers(`-- safe: no version reads this yet\n${script}`)).toEqual([]);
});

test.each([
  "CREATE INDEX CONCURRENTLY a_idx ON customers (name);",
  "CREATE TABLE pets (id TEXT NOT NULL); CREATE INDEX p ON pets (id); ALTER TABLE pets ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES customers (id);",
  "ALTER TABLE customers ADD COLUMN nickname TEXT;",
  "ALTER TABLE customers ADD COLUMN age INTEGER NOT NULL DEFAULT 0;",
  "ALTER TABLE customers ADD CONSTRAINT c CHECK (age > 0) NOT VALID;",
  "ALTER TABLE customers VALIDATE CONSTRAINT c;",
  "ALTER TABLE customers ADD CONSTRAINT u UNIQUE USING INDEX u_idx;",
  "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE customers SET age = 1; DROP TABLE pets; END $$;",
  "-- without a transaction\n-- in batches\nUPDATE customers SET age = 1 WHERE id IN (SELECT id FROM customers WHERE age IS NULL LIMIT 1000);",
  "ALTER TYPE \"Role\" ADD VALUE 'AUDITOR';",
  "-- DROP TABLE customers;\nSELECT 'DROP TABLE customers;';",
])("not dangerous: %s", (script) => {
  expect(findDangers(script)).toEqual([]);
});

test("no migration after the first release blocks running processes or breaks the version before", () => {
  const found = migrationNames()
    .filter((name) => name.slice(0, 14) > lastBeforeRelease)
    .flatMap((name) => {
      const script = readFileSync(path.join(migrationsDirectory, name, "migration.sql"), "utf8");
      return findDangers(script).map((danger) => ({ name, ...danger }));
    });
  expect(found).toEqual([]);
});

test("statements end at semicolons outside of texts, functions and comments", () => {
  const statements = [
    "-- one; two\nSELECT ';', \";\"",
    "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $body$ SELECT 1; $body$",
    "/* ; */ SELECT 2",
  ];
  expect(splitStatements(`${statements.join(";\n")};\n-- the end;\n`)).toEqual(statements);
});
