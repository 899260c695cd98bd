/**
 * Set in a process whose server has the edge already, for instrumentation.ts: it is compiled by
 * Next, apart from server/, so the two share nothing but the environment.
 */
export const edgeMarker = "PARLANCE_HAS_EDGE";
