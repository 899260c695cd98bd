import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations } from "@/app/docs/reference/described";
import { curlSample } from "@/components/docs/samples";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db } from "@/lib/platform/db";
import { baseUrl, call, newTenant, type TestTenant } from "../support/api";
import { pdfOf } from "../support/files";
import { type Receiver, startReceiver } from "../support/receiver";

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

/** One resource of every kind, by the prefix of its id. */
async function furnish(tenant: TestTenant): Promise<Record<string, string>> {
  const create = async (route: string, body: object): Promise<string> =>
    (await call(tenant, "POST", route, body)).body.id;
  const whk = await create("/webhooks", { url: receiver.url, events: ["*"] });
  const cus = await create("/customers", { name: "Grace" });
  const kb = await create("/knowledge-bases", { name: "Base" });
  const doc = await create(`/knowledge-bases/${kb}/documents`, {
    name: "Document",
    text: "Lamps are sent back in their box.",
  });
  const agt = await create("/agents", { name: "Agent" });
  const cnv = await create("/conversations", { channelId: "web", message: "Hello" });
  const msg = (await call(tenant, "GET", `/conversations/${cnv}/messages`)).body.data[0].id;
  const evt = (await call(tenant, "GET", "/events")).body.data[0].id;
  const { id: dlv } = await db().delivery.findFirstOrThrow({ where: { webhookId: whk } });
  await attemptDelivery({ ...tenant.identity.partition, id: dlv });
  const ids: Record<string, string> = { whk, cus, kb, doc, agt, cnv, msg, evt, dlv };
  return ids;
}

/** A stream does not end by itself, so a user would end it. */
const streamsEnd = `curl() {
  if [[ " $* " != *" -N "* ]]; then command curl "$@"; return; fi
  command curl --max-time 1 "$@" 2> stream-end || [ $? = 28 ]
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
  const text = commands
    .replaceAll("%ORIGIN%", baseUrl())
    .replaceAll("localhost:3000", new URL(baseUrl()).host)
    .replaceAll(
      /\b([a-z]{2,3})_(…|[0-9A-HJKMNP-TV-Z]{26})/g,
      (id, prefix: string) => ids[prefix] ?? id,
    )
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
      const tenant = await newTenant();
      const statuses = await runShell(
        curlSample(described, "%ORIGIN%"),
        tenant.key,
        await furnish(tenant),
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
  const statuses = await runShell(commands, tenant.key, await furnish(tenant));
  expect(statuses.length).toBe(commands.match(/\bcurl\b/g)?.length);
  for (const status of statuses) expect(status).toMatch(successful);
});
