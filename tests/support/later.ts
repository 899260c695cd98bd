import { vi } from "vitest";

/** Runs `work` as if `ms` had passed by the process's own time, which `performance.now()` returns. */
export async function later<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const passed = vi.spyOn(performance, "now").mockReturnValue(performance.now() + ms);
  return work().finally(() => passed.mockRestore());
}
