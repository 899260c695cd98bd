/** How this browser shows times. Cookies, because pages are rendered on the server. */
export const timeCookies = {
  /** The browser's own zone, as the last page reported it. */
  zone: "time_zone",
  /** Set if times are shown in UTC instead. */
  isUtc: "times_in_utc",
  /** Set if times are shown exactly, not relative to now. */
  isExact: "exact_times",
} as const;
