import { expect, test } from "vitest";
import { toCsvLine } from "@/lib/platform/csv";

test("cells are quoted where necessary, and lines end as the standard requires", () => {
  expect(toCsvLine(['a "b", c', 3, "two\nlines", -4.5, null, ""])).toBe(
    '"a ""b"", c",3,"two\nlines",-4.5,,\r\n',
  );
});

test.each([
  ...["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=x", "  =1+1"],
  // Excel reads full-width signs as the ones above.
  ...["＝1+1", "＋1", "－1", "＠SUM(A1)", "\u3000＝1+1", "\u200b=1+1", "\ufeff=1+1"],
])("no spreadsheet runs %j", (formula) => {
  expect(toCsvLine([formula]).replace(/^"/, "")).toMatch(/^'/);
});

test.each([
  ...["a;=1+1;", "a; =1+1", 'a;"=1+1";', "a;;@SUM(A1)", "a;\u200b+1", "a;＝1+1"],
  ...["a\n=1+1", "a\r\n-1", "a\t=1+1", '"a";=1'],
])("no spreadsheet that splits lines at semicolons or tabs runs a part of %j", (text) => {
  const line = toCsvLine(["first", text, "last"]);
  const cells = line.split(/[;\t\r\n]/).map((cell) => cell.replace(/^[\s"\p{Cf}]+/u, ""));
  expect(cells.filter((cell) => /^[=+\-@＝＋－＠]/.test(cell))).toEqual([]);
  // Nothing but apostrophes is added.
  expect(line.replaceAll("'", "")).toBe(
    `first,${/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text},last\r\n`,
  );
});

test("long runs of separators take no longer for each of them", () => {
  expect(toCsvLine([";\t".repeat(50_000)])).toHaveLength(100_002);
}, 2_000);

test("numbers and texts with any other first character are not formulas", () => {
  expect(toCsvLine([-1, "Ada", "1+1", "'quoted'", "#tag", "a=b", "a; b"])).toBe(
    "-1,Ada,1+1,'quoted',#tag,a=b,a; b\r\n",
  );
});
