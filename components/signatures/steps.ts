import { parseJson } from "./explain-mismatch";

export type Step = {
  name: string;
  state: "passed" | "failed" | "doubtful" | "not-checked";
  text: string;
};

/** How old a signature may be for receivers to accept it. */
export const toleranceSeconds = 300;

/** @param timestamp Unix seconds, or null if the headers have none */
export function timeStep(timestamp: string | null, now: Date): Step {
  const name = "Time";
  if (timestamp === null)
    return { name, state: "not-checked", text: "The header has no time to check." };
  const ageSeconds = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  const exact = `${new Date(Number(timestamp) * 1_000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  if (ageSeconds > toleranceSeconds) {
    return {
      name,
      state: "failed",
      text: `Signed at ${exact}, ${inWords(ageSeconds)} ago. Receivers reject deliveries older than five minutes. If your receiver got it just now, its clock or this one is wrong. To test an old delivery, resend it.`,
    };
  }
  if (-ageSeconds > toleranceSeconds) {
    return {
      name,
      state: "failed",
      text: `Signed at ${exact}, ${inWords(-ageSeconds)} ahead of this computer's clock. One of the clocks is wrong.`,
    };
  }
  return {
    name,
    state: "passed",
    text: `Signed at ${exact}, ${inWords(Math.abs(ageSeconds))} ${ageSeconds < 0 ? "ahead" : "ago"}.`,
  };
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`;
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} hours`
    : `${Math.floor(seconds / 86_400)} days`;
}

export function payloadStep(body: string): Step {
  const name = "Payload";
  if (body === "") return { name, state: "failed", text: "Paste the body as it arrived." };
  const value = parseJson(body) as { id?: unknown; type?: unknown } | null | undefined;
  if (typeof value?.id === "string" && typeof value.type === "string")
    return { name, state: "passed", text: `An event, ${value.type}.` };
  return {
    name,
    state: "failed",
    text: "The body must be an event: JSON with an id and a type.",
  };
}
