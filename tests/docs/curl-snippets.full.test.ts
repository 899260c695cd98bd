import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations } from "@/app/docs/reference/described";
import { curlSample } from "@/components/docs/samples";
import { baseUrl, newTenant } from "../support/api";
import { pdfOf } from "../support/files";
import { type Receiver, startReceiver } from "../support/receiver";
import { furnish, withIds } from "../support/sample-resources";

// Every curl command of the reference, the guides and the README, run by a shell against the
// running service. Ids are replaced with those of existing resources, and receiver URLs with one that
// listens. Nothing else is changed.

const root = path.resolve(import.meta.dirname, "../..");
/** The working directory of the commands, with the options of `curl` and the file for `-F file=@returns.pdf`. */
const folder = mkdtempSync(path.join(tmpdir(), "parlance-curl-"));
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  writeFileSync(
    path.join(folder, ".curlrc"),
    'silent\nshow-error\nwrite-out = "\\n%{http_code}\\n"\n',
  );
});
afterAll(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A stream does not end by itself, so a user would end it. Here it ends once its head has arrived. */
const streamsEnd = `curl() {
  if [[ " $* " != *" -N "* ]]; then command curl "$@"; return; fi
  rm -f head
  command curl "$@" --dump-header head --write-out "" > body &
  until [ -s head ] || ! kill -0 $! 2> end; do sleep 0.05; done
  { kill $!; wait $!; } 2> end || true
  cat body
  awk 'NR == 1 { print "\\n" $2 }' head
}
`;

/**
 * @returns the status of each request that the commands made, with the response of those that
 * failed
 */
async function runShell(
  commands: string,
  key: string,
  ids: Record<string, string>,
): Promise<string[]> {
  writeFileSync(path.join(folder, "returns.pdf"), pdfOf(["Lamps are sent back in their box."]));
  const text = withIds(commands, ids)
    .replaceAll("%ORIGIN%", baseUrl())
    .replaceAll("localhost:3000", new URL(baseUrl()).host)
    .replaceAll("http://127.0.0.1:4000/", receiver.url)
    .replaceAll(/^KEY=.*$/gm, "");
  const env = { ...process.env, HOME: folder, CURL_HOME: folder, PARLANCE_API_KEY: key, KEY: key };
  const { stdout, stderr } = await promisify(execFile)(
    "bash",
    ["--norc", "-euc", streamsEnd + text],
    {
      cwd: folder,
      env,
    },
  );
  expect(stderr).toBe("");
  const responses = [...stdout.matchAll(/([^\n]*)\n(\d{3})\n/g)];
  return responses.map(([, body, status = ""]) =>
    Number(status) < 300 ? status : `${status} ${body}`,
  );
}

const successful = /^2\d\d$/;

const hasCurl = ["bash", "curl", "openssl"].every(
  (command) => spawnSync(command, ["--version"]).error === undefined,
);
if (!hasCurl)
  process.stdout.write(
    "The curl commands of the documentation are not run: bash, curl or openssl is missing.\n",
  );

describe.skipIf(!hasCurl)("the reference", () => {
  const order = ["GET", "POST", "PUT", "PATCH", "DELETE"];
  const operations = describedOperations().toSorted(
    (a, b) => order.indexOf(a.method) - order.indexOf(b.method),
  );

  test.each(operations.map((described) => [described.operation.operationId, described] as const))(
    "%s: the curl sample succeeds",
    async (_operationId, described) => {
      const isLive = described.operation.operationId === "copyAgentFromTest";
      const tenant = await newTenant({ environment: isLive ? "live" : "test" });
      const sample = curlSample(described, "%ORIGIN%");
      const statuses = await runShell(
        sample,
        tenant.key,
        await furnish(tenant, sample, receiver.url),
      );
      expect(statuses).toEqual([expect.stringMatching(successful)]);
    },
  );
});

const pages = [
  "README.md",
  "sdk/README.md",
  ...readdirSync(path.join(root, "docs/guides")).map((file) => `docs/guides/${file}`),
];
const snippets = pages.flatMap((page) => {
  const blocks = [
    ...readFileSync(path.join(root, page), "utf8").matchAll(
      /^```(?:bash|sh)\b.*\n([\s\S]*?)^```$/gm,
    ),
  ];
  return blocks.flatMap(([, commands = ""]) =>
    /\bcurl\b/.test(commands) ? [{ page, commands }] : [],
  );
});

test.skipIf(!hasCurl).each(snippets)("$page: $commands", async ({ commands }) => {
  const tenant = await newTenant();
  const statuses = await runShell(
    commands,
    tenant.key,
    await furnish(tenant, commands, receiver.url),
  );
  expect(statuses.length).toBe(commands.match(/\bcurl\b/g)?.length);
  for (const status of statuses) expect(status).toMatch(successful);
});
