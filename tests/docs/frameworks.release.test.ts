import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { signTestWebhook } from "@/sdk/src/webhooks";
import { findPython, preparePython, python } from "../support/python";

// The receivers of the guide, each with a valid and with a forged signature.

const root = path.resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "parlance-receivers-"));
symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgdGVzdHM=";
process.env.PARLANCE_WEBHOOK_SECRET = secret;
const guide = readFileSync(path.join(root, "docs/guides/frameworks.mdx"), "utf8");

function exampleNamed(title: string): string {
  const fence = guide.split("\n```").find((block) => block.split("\n")[0]?.includes(`"${title}"`));
  return fence?.slice(fence.indexOf("\n") + 1) ?? expect.fail(`the guide has no ${title}`);
}

/** Loads an example with the client as it is in the repository. */
async function load(title: string, file: string) {
  const outfile = path.join(folder, `${file}.mjs`);
  await build({
    stdin: { contents: exampleNamed(title), resolveDir: folder, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    alias: { "@parlance/sdk/webhooks": path.join(root, "sdk/src/webhooks.ts") },
    outfile,
    logLevel: "error",
  });
  return import(outfile);
}

const { payload, header } = await signTestWebhook({
  payload: {
    id: "evt_1",
    type: "webhook.test",
    timestamp: "2026-01-31T09:30:00.000Z",
    data: { object: {} },
  },
  secret,
});
const forged = header.replace(/v1=./, (start) => (start === "v1=0" ? "v1=1" : "v1=0"));
const requestOf = (signature: string, url = "http://localhost/webhooks/parlance") =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-service-signature": signature },
    body: payload,
  });

test("Next.js: 204 for a signed event, 400 for a forged one", async () => {
  const { POST } = await load("route.ts", "next");
  expect((await POST(requestOf(header))).status).toBe(204);
  expect((await POST(requestOf(forged))).status).toBe(400);
});

test("Hono: 204 for a signed event, 400 for a forged one", async () => {
  const { app } = await load("hono.ts", "hono");
  expect((await app.fetch(requestOf(header))).status).toBe(204);
  expect((await app.fetch(requestOf(forged))).status).toBe(400);
});

test("Express: 204 for a signed event, 400 for a forged one", async () => {
  const own = path.join(folder, "express");
  mkdirSync(own);
  writeFileSync(path.join(own, "package.json"), '{ "private": true }');
  const install = ["install", "--no-audit", "--no-fund", "express@5.2.1"];
  await promisify(execFile)("npm", install, { cwd: own });
  const { app } = await load("express.mjs", "express/receiver");
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/parlance`;
    expect((await fetch(requestOf(header, url))).status).toBe(204);
    expect((await fetch(requestOf(forged, url))).status).toBe(400);
  } finally {
    server.close();
  }
});

const pythonName = findPython("The FastAPI receiver is not run");
test.skipIf(!pythonName)("FastAPI: 204 for a signed event, 400 for a forged one", async () => {
  await preparePython(pythonName ?? "");
  writeFileSync(path.join(folder, "fastapi_app.py"), exampleNamed("fastapi_app.py"));
  const program = `
import sys
from fastapi.testclient import TestClient
from fastapi_app import app
body = open("body.json", "rb").read()
for signature in sys.argv[1:]:
    print(TestClient(app).post("/webhooks/parlance", content=body, headers={"X-Service-Signature": signature}).status_code)`;
  expect(await statuses(python, "fastapi_test.py", program)).toEqual(["204", "400"]);
});

/** Whether a program exists that has these libraries. */
function has(what: string, command: string, ...args: string[]): boolean {
  const isThere = spawnSync(command, args).status === 0;
  if (!isThere) process.stdout.write(`The ${what} is missing, so its receiver is not run.\n`);
  return isThere;
}

// Action Controller, its router and Active Job, without the rest of Rails.
const hasRails = has(
  "package ruby-actionpack",
  "ruby",
  "-e",
  "%w[logger action_controller active_job].each { |name| require name }",
);
test.skipIf(!hasRails)("Rails: 204 for a signed event, 400 for a forged one", async () => {
  const [, route] = /Add the route: `([^`]+)`/.exec(guide) ?? expect.fail("the guide has no route");
  const program = `
require "logger"
require "action_controller"
require "active_job"
require "rack/mock"
ActiveJob::Base.queue_adapter = :test
ActiveJob::Base.logger = nil
module ParlanceWebhook
  module_function
${verifier("verify.rb")}
end
class ParlanceEventJob < ActiveJob::Base
  def perform(body) = nil
end
${exampleNamed("parlance_webhooks_controller.rb")}
routes = ActionDispatch::Routing::RouteSet.new
routes.draw { ${route} }
ARGV.each do |signature|
  options = { "CONTENT_TYPE" => "application/json", "HTTP_X_SERVICE_SIGNATURE" => signature, input: File.read("body.json", mode: "rb") }
  puts Rack::MockRequest.new(routes).post("/webhooks/parlance", options).status
end
puts "#{ActiveJob::Base.queue_adapter.enqueued_jobs.length} job"`;
  expect(await statuses("ruby", "receiver.rb", program)).toEqual(["204", "400", "1 job"]);
});

// Laravel's container, router, requests, responses and jobs, as Debian packages them.
const laravel = "/usr/share/php/Illuminate/autoload.php";
const hasLaravel = has(
  "package php-laravel-framework",
  "php",
  "-r",
  `exit(file_exists('${laravel}') ? 0 : 1);`,
);
test.skipIf(!hasLaravel)("Laravel: 204 for a signed event, 400 for a forged one", async () => {
  writeFileSync(path.join(folder, "api.php"), exampleNamed("api.php"));
  const program = `<?php
namespace {
    require '${laravel}';
${verifier("verify.php").replace("<?php", "")}
}
namespace App\\Jobs {
    class HandleParlanceEvent
    {
        use \\Illuminate\\Foundation\\Bus\\Dispatchable;
        public static int $handled = 0;
        public function __construct(public string $body) {}
        public function handle(): void { self::$handled++; }
    }
}
namespace {
    $app = new Illuminate\\Foundation\\Application(__DIR__);
    $app->instance('config', new Illuminate\\Config\\Repository([
        'services' => ['parlance' => ['webhook_secret' => getenv('PARLANCE_WEBHOOK_SECRET')]],
        'view' => ['paths' => [], 'compiled' => __DIR__],
    ]));
    Illuminate\\Support\\Facades\\Facade::setFacadeApplication($app);
    foreach (['Bus\\\\Bus', 'Filesystem\\\\Filesystem', 'View\\\\View'] as $provider) {
        $app->register("Illuminate\\\\{$provider}ServiceProvider");
    }
    Illuminate\\Support\\Facades\\Route::prefix('api')->group(__DIR__ . '/api.php');
    foreach (array_slice($argv, 1) as $signature) {
        $server = ['HTTP_X_SERVICE_SIGNATURE' => $signature, 'CONTENT_TYPE' => 'application/json'];
        $body = file_get_contents('body.json');
        $request = Illuminate\\Http\\Request::create('/api/webhooks/parlance', 'POST', [], [], [], $server, $body);
        $app->instance('request', $request);
        echo $app['router']->dispatch($request)->getStatusCode(), "\\n";
    }
    echo App\\Jobs\\HandleParlanceEvent::$handled, " job\\n";
}`;
  expect(await statuses("php", "receiver.php", program)).toEqual(["204", "400", "1 job"]);
});

function verifier(file: string): string {
  return readFileSync(path.join(root, "docs/verify-webhook", file), "utf8");
}

/** What a program prints for the valid and for the forged signature. */
async function statuses(command: string, file: string, program: string): Promise<string[]> {
  writeFileSync(path.join(folder, file), program);
  writeFileSync(path.join(folder, "body.json"), payload);
  const { stdout } = await promisify(execFile)(command, [file, header, forged], { cwd: folder });
  return stdout.trim().split("\n");
}
