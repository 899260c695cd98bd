import pino from "pino";

/** One JSON line each on standard output. Secrets are named here as a last resort; nothing should log them to begin with. */
export const log = pino({
  level: process.env.LOG_LEVEL || "info",
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: { paths: ["secret", "password", "authorization", "*.secret", "*.password", "*.authorization"], censor: "[redacted]" },
});
