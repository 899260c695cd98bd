import { spawn } from "node:child_process";
import { baseUrlOf, type Command, UsageError } from "./command";

const pages: Record<string, string> = {
  dashboard: "/",
  docs: "/docs",
  reference: "/docs/reference",
  events: "/docs/events",
  status: "/ready",
};

export const open: Command = {
  name: "open",
  summary: "Open the dashboard or the docs in the browser",
  arguments: ["page?"],
  choices: Object.keys(pages),
  details: `Pages: ${Object.keys(pages).join(", ")}. Default: dashboard.`,
  run: async ({ args, values, output }) => {
    const [page = "dashboard"] = args;
    const path = pages[page];
    if (path === undefined)
      throw new UsageError(
        `There is no page "${page}". Pages: ${Object.keys(pages).join(", ")}.`,
        open,
      );
    const url = new URL(path, baseUrlOf(values)).href;
    output.result({ url }, url);
    // A terminal without a browser has the address.
    const [command, ...before] = opener();
    spawn(command, [...before, url], { stdio: "ignore", detached: true })
      .on("error", () => {})
      .unref();
  },
};

function opener(): [string, ...string[]] {
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["cmd", "/c", "start", ""] : ["xdg-open"];
}
