// At most `max_per_second` attempts of a webhook start within any second, however many workers there
// are. A claim takes up to a burst, a twentieth of that, and moves `next_paced_at` on by the time
// that it used up. Within any second, the claims before the last one use up less than a second, and
// the last one adds at most a burst. So the rate that counts the time leaves room for one burst.

const burstOf = (maximum: string) => `greatest(1, ${maximum} / 20)`;

/** Attempts per second, as time is counted. */
const rateOf = (maximum: string) => `(${maximum} - ${burstOf(maximum)} + 1)::float8`;

/** How many attempts of a webhook one claim may take; null for any number. */
export const burst = (w: string) =>
  `CASE WHEN ${isPaced(w)} THEN ${burstOf(`${w}.max_per_second`)} END`;

export const isPaced = (w: string) => `${w}.max_per_second IS NOT NULL`;

/** Whether a webhook's next attempt may start. */
export const isOpen = (w: string, now: string) =>
  `(${w}.max_per_second IS NULL OR ${w}.next_paced_at IS NULL OR ${w}.next_paced_at <= ${now})`;

/** `next_paced_at` after this many more attempts. */
export const paceAfter = (w: string, attempts: string, now: string) =>
  `greatest(${w}.next_paced_at, ${now}) + make_interval(secs => ${attempts} / ${rateOf(`${w}.max_per_second`)})`;
