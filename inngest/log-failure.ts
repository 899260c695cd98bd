import { log } from "@/lib/platform/log";

type Failure = { event: { data: { function_id: string; run_id: string } }; error: Error };

/**
 * Called when a step has failed as often as it may. Nothing is lost: what the run left undone is
 * overdue soon, and the worker wakes it.
 */
export async function logFailure({ event, error }: Failure): Promise<void> {
  const { function_id: name, run_id: run } = event.data;
  log.error({ function: name, run, error: error.message }, "a run of Inngest failed");
}
