import { Button } from "@/components/ui/button";
import { SelectField } from "@/components/ui/field";

type Props = { path: string; newest: number; from: string; to: string };

/** The versions to choose from. Older ones can be compared from their own pages. */
const maximumChoices = 200;

/**
 * Selects two versions of an agent to compare. A plain form, so that the comparison has a URL.
 */
export function CompareForm({ path, newest, from, to }: Props) {
  const numbers = Array.from({ length: Math.min(newest, maximumChoices) }, (_, index) =>
    String(newest - index),
  );
  const choices = [
    "draft",
    ...new Set([...numbers, ...[from, to].filter((choice) => choice !== "draft")]),
  ];
  const options = choices.map((choice) => (
    <option key={choice} value={choice}>
      {choice === "draft" ? "Draft" : `Version ${choice}`}
    </option>
  ));
  return (
    <form action={`${path}/versions/compare`} className="mb-4 flex flex-wrap items-end gap-3">
      <SelectField label="Compare" name="from" defaultValue={from} key={`from ${from}`}>
        {options}
      </SelectField>
      <SelectField label="with" name="to" defaultValue={to} key={`to ${to}`}>
        {options}
      </SelectField>
      <Button type="submit" variant="secondary">
        Compare versions
      </Button>
    </form>
  );
}
