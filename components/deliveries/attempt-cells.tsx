import { Countdown } from "@/components/ui/countdown";
import { Cell, type Heading } from "@/components/ui/table";

export const attemptHeadings: Heading[] = [
  { label: "Attempts", align: "right" },
  { label: "Next attempt" },
];

/** How many attempts a delivery has had, and when the next one is. */
export function AttemptCells({
  attemptCount,
  nextAttemptAt,
  now,
}: {
  attemptCount: number;
  nextAttemptAt: Date | null;
  now: Date;
}) {
  return (
    <>
      <Cell label="Attempts" align="right">
        {attemptCount}
      </Cell>
      <Cell label="Next attempt">
        {nextAttemptAt ? (
          <Countdown until={nextAttemptAt} now={now} over="now" />
        ) : (
          <span className="text-muted">–</span>
        )}
      </Cell>
    </>
  );
}
