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

test("numbers and texts with any other first character are not formulas", () => {
  expect(toCsvLine([-1, "Ada", "1+1", "'quoted'", "#tag", "a=b"])).toBe(
    "-1,Ada,1+1,'quoted',#tag,a=b\r\n",
  );
});
