import { env } from "@/lib/platform/env";

type IsoDate = `${number}-${number}-${number}`;

/** What a declaration says about an operation that clients should stop using. */
export type Deprecation = {
  /** When it was announced. */
  since: IsoDate;
  /** When it may stop working: at least `minimumNoticeDays` after `since`. */
  sunset: IsoDate;
  /** What to use instead, in one sentence. */
  instead: string;
};

export const minimumNoticeDays = 365;

/** The headers of every response of a deprecated operation: RFC 9745 and RFC 8594. */
export const deprecationHeaders = ({ since, sunset }: Deprecation): Record<string, string> => ({
  Deprecation: `@${Date.parse(since) / 1_000}`,
  Sunset: new Date(sunset).toUTCString(),
  Link: `<${env().APP_URL}/docs/versioning>; rel="deprecation"; type="text/html"`,
});
