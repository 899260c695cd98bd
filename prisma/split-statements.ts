/** A quoted or dollar-quoted text, or a comment, in which a semicolon ends no statement. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g;

/** The statements of a script, each with the comments before it. */
export function splitStatements(script: string): string[] {
  const masked = script.replace(opaque, (text) => "x".repeat(text.length));
  const ends = [...masked.matchAll(/;/g)].map(({ index }) => index);
  const starts = [0, ...ends.map((end) => end + 1)];
  return starts
    .map((start, number) => script.slice(start, ends[number] ?? script.length).trim())
    .filter((statement) => withoutComments(statement) !== "");
}

/** For patterns: texts and bodies of functions are left out, too. */
export const withoutComments = (statement: string): string =>
  statement
    .replace(opaque, (text) =>
      text.startsWith('"') ? text : text.startsWith("-") || text.startsWith("/") ? "" : "''",
    )
    .replace(/\s+/g, " ")
    .trim();
