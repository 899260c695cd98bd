import { TickingTime } from "./ticking-time";
import { exactTime, viewerTime } from "./viewer-time";

type CountdownProps = {
  until: Date;
  /** The server's time. The countdown starts from it, because the browser's clock may be wrong. */
  now: Date;
  /** Shown when the time is up. */
  over?: string;
};

/**
 * The remaining time, with the exact end as its title. Viewers who chose exact times in the account
 * menu see it next to the remaining time. Rendered on the server, which knows the viewer's zone.
 */
export function Countdown({ until, now, over = "over" }: CountdownProps) {
  const exact = exactTime(until);
  return (
    <>
      <TickingTime until={until} now={now} over={over} title={exact} />
      {viewerTime().isExact ? ` (${exact})` : null}
    </>
  );
}
