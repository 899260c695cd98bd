import { expect, test } from "vitest";
import {
  answers,
  expected,
  folder,
  isThere,
  lines,
  now,
  run,
  secret,
  take,
  write,
} from "../support/verify-snippets";

test.skipIf(!isThere("go", "version"))("Go", async () => {
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
});

test.skipIf(!isThere("javac", "-version"))("Java", async () => {
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
});

test.skipIf(!isThere("php", "--version"))("PHP", async () => {
  await take("verify.php");
  await write(
    "cases.php",
    `<?php
require 'verify.php';
foreach (file('cases.txt', FILE_IGNORE_NEW_LINES) as $line) {
    [$header, $body] = array_map('base64_decode', explode(' ', $line));
    echo isGenuine($body, $header, '${secret}', ${now}) ? 'true' : 'false', "\n";
}
`,
  );
  expect(await answers("php", ["cases.php"])).toEqual(expected);
});

test.skipIf(!isThere("ruby", "--version"))("Ruby", async () => {
  await take("verify.rb");
  await write(
    "cases.rb",
    `require_relative "verify"
File.foreach("cases.txt", chomp: true) do |line|
  header, body = line.split(" ", -1).map { |part| part.unpack1("m") }
  puts genuine?(body, header, "${secret}", ${now})
end
`,
  );
  expect(await answers("ruby", ["cases.rb"])).toEqual(expected);
});
