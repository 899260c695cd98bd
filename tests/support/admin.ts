import { execFile } from "node:child_process";

/** `npm run admin -- …` of the built product, on this file's database. */
export function runAdmin(args: string[], environment: Record<string, string> = {}) {
  return new Promise<{ exitCode: number; output: string; problem: string }>((resolve) => {
    const env = { ...process.env, ...environment };
    const child = execFile(
      process.execPath,
      ["dist/admin.js", ...args],
      { env },
      (_error, output, problem) => resolve({ exitCode: child.exitCode ?? 1, output, problem }),
    );
  });
}
