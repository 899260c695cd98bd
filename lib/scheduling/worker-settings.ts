/**
 * PostgreSQL settings for the worker's connections. The claim is a long statement that runs many
 * times a second, and planning it each time would take longer than running it. It needs few rows in
 * index order, so a plan that reads or sorts a whole backlog is never better.
 */
export const workerSettings = {
  plan_cache_mode: "force_generic_plan",
  enable_bitmapscan: "off",
  enable_seqscan: "off",
};
