/**
 * PostgreSQL's settings for the worker's connections. The claim is a long statement that runs many
 * times a second: planning it each time would take longer than running it. It wants few rows in the
 * order of an index, so a plan that reads or sorts a whole backlog is never the better one.
 */
export const workerSettings = {
  plan_cache_mode: "force_generic_plan",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
};
