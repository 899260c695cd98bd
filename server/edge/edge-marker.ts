/**
 * Set in a process whose server already has the edge, for instrumentation.ts. Next compiles that
 * file separately from server/, so the two share only the environment.
 */
export const edgeMarker = "PARLANCE_HAS_EDGE";
