import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, describe, expect, test } from "vitest";
import { signTestWebhook } from "@/sdk/src/webhooks";

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

const hasExpress =
  spawnSync(process.execPath, ["-e", "require('express')"], { cwd: root }).status === 0;
if (!hasExpress)
  process.stdout.write("The Express receiver is not run: express is not installed.\n");
test.skipIf(!hasExpress)("Express: 204 for a signed event, 400 for a forged one", async () => {
  const { app } = await load("express.mjs", "express");
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

const python = { ...process.env, PYTHONPATH: path.join(root, "sdk-python/src") };
const hasFastApi =
  spawnSync("python3", ["-c", "import fastapi, httpx, parlance"], { env: python }).status === 0;
if (!hasFastApi)
  process.stdout.write(
    "The FastAPI receiver is not run: python3 with fastapi, httpx and the packages of sdk-python is missing.\n",
  );
describe.skipIf(!hasFastApi)("FastAPI", () => {
  test("204 for a signed event, 400 for a forged one", async () => {
    writeFileSync(path.join(folder, "fastapi_app.py"), exampleNamed("fastapi_app.py"));
    writeFileSync(path.join(folder, "body.json"), payload);
    const program = `
import sys
from fastapi.testclient import TestClient
from fastapi_app import app
body = open("body.json", "rb").read()
for signature in sys.argv[1:]:
    print(TestClient(app).post("/webhooks/parlance", content=body, headers={"X-Service-Signature": signature}).status_code)`;
    const { stdout } = await promisify(execFile)("python3", ["-c", program, header, forged], {
      cwd: folder,
      env: python,
    });
    expect(stdout.trim().split("\n")).toEqual(["204", "400"]);
  });
});

// Rails and Laravel themselves are stand-ins of a few lines: what the examples use of them.
const hasRuby = spawnSync("ruby", ["--version"]).status === 0;
if (!hasRuby) process.stdout.write("The Rails receiver is not run: ruby is missing.\n");
test.skipIf(!hasRuby)("Rails: 204 for a signed event, 400 for a forged one", async () => {
  const program = `
module ActionController
  class API
    attr_reader :request
    def initialize(request) = @request = request
    def head(status) = puts({ no_content: 204, bad_request: 400 }.fetch(status))
  end
end
module ParlanceWebhook
  module_function
${verifier("verify.rb")}
end
module ParlanceEventJob
  def self.perform_later(body) = nil
end
${exampleNamed("parlance_webhooks_controller.rb")}
Request = Struct.new(:raw_post, :headers)
ARGV.each do |signature|
  headers = { "X-Service-Signature" => signature }
  ParlanceWebhooksController.new(Request.new(File.read("body.json", mode: "rb"), headers)).create
end`;
  expect(await statuses("ruby", "receiver.rb", program)).toEqual(["204", "400"]);
});

const hasPhp = spawnSync("php", ["--version"]).status === 0;
if (!hasPhp) process.stdout.write("The Laravel receiver is not run: php is missing.\n");
test.skipIf(!hasPhp)("Laravel: 204 for a signed event, 400 for a forged one", async () => {
  const [, imports = "", example = ""] =
    /^<\?php\s+((?:use .+\n)+)([\s\S]*)$/.exec(exampleNamed("api.php")) ?? [];
  const program = `<?php
namespace App\\Jobs {
    class HandleParlanceEvent { public static function dispatch($body) {} }
}
namespace Illuminate\\Http {
    class Request {
        public function __construct(private string $signature) {}
        public function getContent() { return file_get_contents('body.json'); }
        public function header($name, $default) { return $name === 'X-Service-Signature' ? $this->signature : $default; }
    }
}
namespace Illuminate\\Support\\Facades {
    class Route {
        public static function post($path, $action) {
            global $argv;
            foreach (array_slice($argv, 1) as $signature) {
                $action(new \\Illuminate\\Http\\Request($signature));
            }
        }
    }
}
namespace {
${imports}
    function config($name) { return getenv('PARLANCE_WEBHOOK_SECRET'); }
    function response() {
        return new class { public function noContent($status = 204) { echo $status, "\\n"; } };
    }
${verifier("verify.php").replace("<?php", "")}
${example}
}`;
  expect(await statuses("php", "receiver.php", program)).toEqual(["204", "400"]);
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
