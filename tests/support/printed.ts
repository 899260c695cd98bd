import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a program of the built product until it ends, or until it has printed a line that matches.
 * @returns what it printed, and its exit code
 */
export async function printedBy(
  program: "web" | "worker",
  environment: Record<string, string>,
  last?: RegExp,
): Promise<{ lines: string[]; exitCode: number | null }> {
  const child = spawn(process.execPath, [`dist/${program}.js`], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      LOG_LEVEL: "info",
      NEXTAUTH_URL: "http://127.0.0.1",
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (last?.test(output)) child.kill("SIGKILL");
    });
  const [exitCode] = (await once(child, "close")) as [number | null];
  return { lines: output.split("\n").filter((line) => line !== ""), exitCode };
}
