import { z } from "zod";
import { retentionKinds } from "./kinds";

const days = ({ minimum, maximum }: { minimum: number; maximum: number }) => {
  const rule = `must be a whole number of days from ${minimum} to ${maximum.toLocaleString("en")}`;
  return z.int(rule).min(minimum, rule).max(maximum, rule).nullable();
};

export const retentionInput = z.strictObject({
  conversations: days(retentionKinds.conversations),
  events: days(retentionKinds.events),
  requestLogs: days(retentionKinds.requestLogs),
  attempts: days(retentionKinds.attempts),
});

/** Days; null for the usual time. */
export type Retention = z.output<typeof retentionInput>;
