import { expect, test } from "vitest";
import { toCsv } from "@/lib/csv";

test("cells are quoted where they must be, and lines end as the standard has it", () => {
  expect(
    toCsv([
      ["day", "requests"],
      ['a "b", c', 3],
      ["two\nlines", -4.5],
    ]),
  ).toBe('\uFEFFday,requests\r\n"a ""b"", c",3\r\n"two\nlines",-4.5\r\n');
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=x", "  =1+1"])("no spreadsheet runs %j", (formula) => {
  const [cell = ""] = toCsv([[formula]])
    .slice(1)
    .split("\r\n");
  expect(cell.replace(/^"/, "")).toMatch(/^'/);
});

test("a number is no formula, and neither is a text that begins with any other sign", () => {
  expect(toCsv([[-1, "Ada", "1+1", "'quoted'", "#tag", "a=b"]])).toBe("\uFEFF-1,Ada,1+1,'quoted',#tag,a=b\r\n");
});
