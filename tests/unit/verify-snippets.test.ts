import { execFile, spawnSync } from "node:child_process";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifySnippets } from "@/components/docs/verify-snippets-list";
import { isGenuine } from "@/docs/verify-webhook/verify";
import { signatureHeader } from "@/lib/deliveries/engine/sign";

// What the documentation tells receivers to copy, run as they would run it, against what the
// service really sends.

const run = promisify(execFile);
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = 1_769_851_800;
const body = JSON.stringify({ id: "evt_1", text: "Grüße, 你好 👋" });
const signed = (secrets: string[], timestampSeconds = now) =>
  signatureHeader({ secrets, timestampSeconds, body });

const cases: { what: string; header: string; body: string; expected: boolean }[] = [
  { what: "the right secret", header: signed([secret]), body, expected: true },
  {
    what: "the old secret beside the new one",
    header: signed(["whsec_new", secret]),
    body,
    expected: true,
  },
  { what: "299 seconds old", header: signed([secret], now - 299), body, expected: true },
  { what: "another secret", header: signed(["whsec_other"]), body, expected: false },
  { what: "another body", header: signed([secret]), body: `${body} `, expected: false },
  { what: "301 seconds old", header: signed([secret], now - 301), body, expected: false },
  { what: "301 seconds ahead", header: signed([secret], now + 301), body, expected: false },
  {
    what: "another time than was signed",
    header: signed([secret]).replace(`t=${now}`, `t=${now + 1}`),
    body,
    expected: false,
  },
  { what: "no signature", header: `t=${now}`, body, expected: false },
  { what: "an empty signature", header: `t=${now},v1=`, body, expected: false },
  { what: "no time", header: signed([secret]).replace(/^t=\d+,/, ""), body, expected: false },
  {
    what: "a time that is no number",
    header: signed([secret]).replace(`t=${now}`, "t=soon"),
    body,
    expected: false,
  },
  {
    what: "letters that are no hex",
    header: `t=${now},v1=${"ü".repeat(64)}`,
    body,
    expected: false,
  },
  { what: "nothing", header: "", body, expected: false },
];
const expected = cases.map((one) => one.expected);

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "verify-snippets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const take = (file: string, as = file) =>
  copyFile(path.join("docs/verify-webhook", file), path.join(folder, as));
const write = (file: string, text: string) => writeFile(path.join(folder, file), text);
const isThere = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;

/** Each case on a line of its own, in a form that every language reads without a library. */
const lines = cases
  .map(({ header, body }) =>
    [header, body].map((text) => Buffer.from(text).toString("base64")).join(" "),
  )
  .join("\n");

async function answers(command: string, args: string[]): Promise<boolean[]> {
  await write("cases.txt", `${lines}\n`);
  const { stdout } = await run(command, args, { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().toLowerCase() === "true");
}

test("every file of the folder is on the page, and the other way round", async () => {
  expect((await readdir("docs/verify-webhook")).toSorted()).toEqual(
    verifySnippets.map(({ file }) => file).toSorted(),
  );
});

test.each(cases)("TypeScript: $what", ({ header, body, expected }) => {
  expect(isGenuine(Buffer.from(body), header, secret, now)).toBe(expected);
});

describe("in other languages, all cases at once", () => {
  test.skipIf(!isThere("python3", "--version"))("Python", async () => {
    await take("verify.py");
    const program = `
import base64
from verify import is_genuine
for line in open("cases.txt"):
    header, body = (base64.b64decode(part) for part in line.rstrip("\\n").split(" "))
    print(is_genuine(body, header.decode(), "${secret}", ${now}))`;
    expect(await answers("python3", ["-c", program])).toEqual(expected);
  });

  test.skipIf(!isThere("go", "version"))(
    "Go",
    async () => {
      await take("verify.go", "verify.go");
      await write("go.mod", "module webhooks\n\ngo 1.21\n");
      await write(
        "verify_test.go",
        `package webhooks
import ("encoding/base64"; "fmt"; "os"; "strings"; "testing"; "time")
func TestCases(t *testing.T) {
	text, _ := os.ReadFile("cases.txt")
	for _, line := range strings.Split(strings.TrimRight(string(text), "\\n"), "\\n") {
		parts := strings.Split(line, " ")
		header, _ := base64.StdEncoding.DecodeString(parts[0])
		body, _ := base64.StdEncoding.DecodeString(parts[1])
		fmt.Println("answer", IsGenuine(body, string(header), "${secret}", time.Unix(${now}, 0)))
	}
}
`,
      );
      await write("cases.txt", `${lines}\n`);
      const environment = {
        ...process.env,
        GOFLAGS: "-mod=mod",
        GOTOOLCHAIN: "local",
        GOPROXY: "off",
      };
      const { stdout } = await run("go", ["test", "-v", "."], { cwd: folder, env: environment });
      expect(stdout.match(/^answer (true|false)$/gm)).toEqual(
        expected.map((value) => `answer ${value}`),
      );
    },
    120_000,
  );

  test.skipIf(!isThere("javac", "-version"))(
    "Java",
    async () => {
      await take("Webhooks.java");
      await write(
        "Cases.java",
        `import java.nio.file.*; import java.time.Instant; import java.util.Base64;
class Cases { public static void main(String[] arguments) throws Exception {
  for (String line : Files.readAllLines(Path.of("cases.txt"))) {
    String[] parts = line.split(" ", -1);
    byte[] body = Base64.getDecoder().decode(parts[1]);
    String header = new String(Base64.getDecoder().decode(parts[0]), "UTF-8");
    System.out.println(Webhooks.isGenuine(body, header, "${secret}", Instant.ofEpochSecond(${now}L)));
  }
} }`,
      );
      await run("javac", ["-encoding", "UTF-8", "Webhooks.java", "Cases.java"], { cwd: folder });
      expect(await answers("java", ["-cp", ".", "Cases"])).toEqual(expected);
    },
    120_000,
  );
});
