/**
 * How long after a response its request can be written to the log with bodies. Redacting a message
 * and erasing a customer clear the log this much later. What is written even later, because the
 * database could not be reached, has nothing that they would clear: `request-log-buffer.ts` drops it.
 */
export const logDelaySeconds = 15;
