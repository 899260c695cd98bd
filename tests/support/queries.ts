import { vi } from "vitest";
import { pool } from "@/lib/platform/db";

/**
 * Runs `work` while `intercept` decides what happens to each query of the pool.
 * @param intercept gets the name of the prepared statement, or an empty one, and sends the query
 */
export async function interceptQueries<Result>(
  intercept: (name: string, send: () => Promise<unknown>) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const query = pool().query.bind(pool()) as (...sent: unknown[]) => Promise<unknown>;
  const spy = vi
    .spyOn(pool(), "query")
    .mockImplementation(((...sent: [{ name?: string }]) =>
      intercept(sent[0].name ?? "", () => query(...sent))) as never);
  return work().finally(() => spy.mockRestore());
}
