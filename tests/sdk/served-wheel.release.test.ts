import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wheelName } from "@/components/docs/wheel-name";
import { packWheel } from "@/server/python-wheel.mjs";
import { type RunningProcess, startWeb } from "../support/processes";
import { python as checks, findPython, preparePython } from "../support/python";

const name = findPython("The wheel of the Python client was not installed");
const folder = mkdtempSync(path.join(tmpdir(), "parlance-wheel-"));
const python = path.join(folder, "venv/bin/python");
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: folder }).toString();
const pip = (...args: string[]) => run(python, "-m", "pip", "--disable-pip-version-check", ...args);

let web: RunningProcess & { url: string };
beforeAll(async () => {
  if (name) await preparePython(name);
  web = await startWeb();
});
afterAll(async () => {
  await web.end();
  rmSync(folder, { recursive: true, force: true });
});

test("the wheel is the same for the same sources, and immutable by its name", async () => {
  const { name: packed, bytes } = packWheel("sdk-python");
  expect(packed).toBe(wheelName);
  const response = await fetch(`${web.url}/sdk.whl`);
  expect(response.url).toBe(`${web.url}/sdk/${wheelName}`);
  expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect((await fetch(`${web.url}/sdk/parlance-0.0.1-py3-none-any.whl`)).status).toBe(404);
});

test.skipIf(!name)("pip installs it from the service, and a script verifies a webhook", () => {
  run(name ?? "", "-m", "venv", "venv");
  pip("install", "--quiet", `${web.url}/sdk/${wheelName}`);
  expect(pip("check")).toContain("No broken requirements");
  const program = `
from importlib.metadata import version
from parlance import Parlance, __version__, sign_test_webhook, verify_webhook
assert version("parlance") == __version__
signed = sign_test_webhook(payload={"id": "evt_1", "type": "thing", "timestamp": "2026-01-31T09:30:00Z"}, secret="whsec_aaaa")
print(verify_webhook(payload=signed.payload, headers=signed.headers, secret="whsec_aaaa").received_type)
try:
    Parlance("prl_test_" + "0" * 40, base_url="${web.url}").request("GET", "/account")
except Exception as error:
    print(type(error).__name__)`;
  expect(run(python, "-c", program)).toBe("thing\nUnauthorizedError\n");
});

test.skipIf(!name)("it has the files and the metadata of the wheel that hatchling builds", () => {
  run(
    checks,
    "-m",
    "pip",
    "wheel",
    "--quiet",
    "--no-deps",
    "-w",
    "built",
    path.resolve("sdk-python"),
  );
  const { bytes } = packWheel("sdk-python");
  writeFileSync(path.join(folder, wheelName), bytes);
  const program = `
import base64, email, hashlib, sys, zipfile
from packaging.requirements import Requirement
def read(path):
    with zipfile.ZipFile(path) as wheel:
        assert wheel.testzip() is None
        found = {name: wheel.read(name).decode() for name in wheel.namelist()}
        recorded = 0
        for line in next(text for name, text in found.items() if name.endswith("/RECORD")).splitlines():
            name, digest, size = line.rsplit(",", 2)
            recorded += 1
            if name.endswith("/RECORD"): continue
            content = wheel.read(name)
            hashed = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            assert (digest, size) == (f"sha256={hashed}", str(len(content))), line
        assert recorded == len(found), recorded
    (info,) = {name.split("/")[0] for name in found if ".dist-info/" in name}
    metadata = email.message_from_string(found.pop(f"{info}/METADATA"))
    found.pop(f"{info}/RECORD")
    headers = {}
    for key, value in metadata.items():
        if key == "Requires-Dist": value = str(Requirement(value)).replace("_", "-")
        if key == "Keywords": value = ",".join(sorted(value.split(",")))
        headers.setdefault(key, []).append(value)
    headers.pop("Metadata-Version")
    found.pop(f"{info}/WHEEL")
    return [{key: sorted(values) for key, values in headers.items()}, metadata.get_payload().strip(), found]
ours, theirs = (read(path) for path in sys.argv[1:])
for one, other in zip(ours, theirs):
    assert one == other, (one, other)
print("the same")`;
  const built = path.join(folder, "built", wheelName);
  expect(readFileSync(built).length).toBeGreaterThan(10_000);
  expect(run(checks, "-c", program, path.join(folder, wheelName), built)).toBe("the same\n");
});
