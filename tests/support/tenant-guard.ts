import { readFileSync } from "node:fs";
import path from "node:path";
import { sourceFiles } from "./imports";

// Finds statements that do not name the tenant, by reading the source. A statement is often built
// from constants, so the definitions of the names in it are read, too, also those in another file of
// SQL next to it. The SQL of each top-level declaration must mention `tenant_id` at least as often as
// it names a tenant's table. This finds what was forgotten, but proves nothing: the isolation tests
// call every operation.

/** A table of the schema that has the column `tenant_id`, and its model's name in Prisma's client. */
type Table = { table: string; model: string };

export function tenantTables(schema = readFileSync("prisma/schema.prisma", "utf8")): Table[] {
  return [...schema.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].flatMap(
    ([, model = "", body = ""]) => {
      const [, table = ""] = /@@map\("(\w+)"\)/.exec(body) ?? [];
      const isTenants = /@map\("tenant_id"\)/.test(body);
      return isTenants ? [{ table, model: model[0]?.toLowerCase() + model.slice(1) }] : [];
    },
  );
}

/** @returns the places that do not name the tenant, as `file: declaration` or `file: model.method` */
export function placesWithoutTenant(
  files = sourceFiles().filter((file) => /^(lib|inngest|app)\//.test(file)),
): string[] {
  const tables = tenantTables();
  return files.flatMap((file) => {
    const source = sourceOf(file);
    const known = [source, ...importedSql(file, source)].join("\n");
    return [
      ...declarationsOf(source)
        .filter(({ text }) => !namesTenant(expanded(text, known), tables))
        .map(({ name }) => `${file}: ${name}`),
      ...clientCalls(source, tables)
        .filter(({ args }) => !/partition|tenantId/i.test(expanded(args, known)))
        .map(({ call }) => `${file}: ${call}`),
    ].filter((place, index, all) => all.indexOf(place) === index);
  });
}

const sourceOf = (file: string) => withoutMoves(withoutComments(readFileSync(file, "utf8")));

const importedSql = (file: string, source: string): string[] =>
  Array.from(source.matchAll(/from "(\.\/[\w-]+\.sql)"/g), ([, name]) =>
    sourceOf(path.join(path.dirname(file), `${name}.ts`)),
  );

const levels = 4;

/** The text, followed by the definitions of the names in it, each as often as it is used. */
function expanded(text: string, source: string, level = 0): string {
  if (level === levels) return text;
  const used = [
    ...text.matchAll(/\$\{\s*(\w+)|\.\.\.(\w+)|\b(where|data)\b(?!:)|\b(?:where|data): (\w+)/g),
  ];
  const names = used.map(([, inText, spread, short, given]) => inText ?? spread ?? short ?? given);
  const definitions = names.flatMap((name) => definitionOf(name ?? "", source, text) ?? []);
  return [text, ...definitions.map((found) => expanded(found, source, level + 1))].join("\n");
}

function definitionOf(name: string, source: string, text: string): string | undefined {
  const start = new RegExp(`\\b(?:const|let|function) ${name}\\b`);
  // What a declaration defines itself is in its text already, once.
  const own = start.exec(text);
  const found = own ? ([own.index, text] as const) : at(start.exec(source)?.index, source);
  if (!found) return undefined;
  const [index, within] = found;
  const end = within.slice(index).search(/;\n|\n\}\n/);
  return within.slice(index, end < 0 ? undefined : index + end);
}

const at = (index: number | undefined, source: string) =>
  index === undefined ? undefined : ([index, source] as const);

const withoutComments = (source: string) =>
  source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/** A job that leaves out tenants that move is still for all others (lib/platform/moving-tenants.ts). */
const withoutMoves = (source: string) =>
  source.replace(/isNotMoving\("[\w.]+"\)|tenantId: \{ notIn: await movingTenantIds\(\) \}/g, "");

function declarationsOf(source: string): { name: string; text: string }[] {
  return source.split(/\n(?=(?:export |async |const |let |function |type ))/).map((text) => ({
    name: /^(?:export )?(?:async )?(?:const|let|function\*?|type)\s+(\w+)/.exec(text)?.[1] ?? "",
    text,
  }));
}

/** Whether the SQL in a declaration mentions the tenant for each of the tables that it names. */
export function namesTenant(text: string, tables: Table[]): boolean {
  const names = tables.map(({ table }) => table).join("|");
  const uses = text.match(
    new RegExp(
      `\\b(?:FROM|JOIN|UPDATE|INTO|USING)\\s+(?:ONLY\\s+)?"?(?:(?:${names})\\b|\\$\\{(?:table|list)\\})`,
      "g",
    ),
  );
  const mentions =
    text.match(/tenant_id|\btenantId\b|\bbindPartition\(|\$\{(?:partition|within)\}/g) ?? [];
  return (uses ?? []).length <= mentions.length;
}

/** Calls of Prisma's client on a tenant's table, with their arguments. */
function clientCalls(source: string, tables: Table[]): { call: string; args: string }[] {
  const models = tables.map(({ model }) => model).join("|");
  const start = new RegExp(
    `\\.(${models})\\s*\\.\\s*(find\\w+|update\\w*|delete\\w*|create\\w*|upsert|count|groupBy|aggregate)\\(`,
    "g",
  );
  return [...source.matchAll(start)].map((match) => ({
    call: `${match[1]}.${match[2]}`,
    args: balanced(source, match.index + match[0].length),
  }));
}

/** The text up to the parenthesis that closes the one before `from`. */
function balanced(source: string, from: number): string {
  let depth = 1;
  let index = from;
  for (; index < source.length && depth > 0; index++) {
    if (source[index] === "(") depth++;
    if (source[index] === ")") depth--;
  }
  return source.slice(from, index);
}
