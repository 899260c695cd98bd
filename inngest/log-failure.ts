import { log } from "@/lib/platform/log";

type Failure = { event: { data: { function_id: string; run_id: string } }; error: Error };

/**
 * Called when a run has failed as often as it may. Nothing is lost: the worker wakes what the run left
 * undone once it is overdue, and the next run of the recurring jobs continues.
 */
export async function logFailure({ event, error }: Failure): Promise<void> {
  const { function_id: name, run_id: run } = event.data;
  log.error({ function: name, run, error: error.message }, "a run of Inngest failed");
}
