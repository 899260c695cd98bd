import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newTenant } from "../support/api";
import { type RunningProcess, startWeb } from "../support/processes";
import { findPython, preparePython, python } from "../support/python";

// Clients in other languages against the built product, after a page was opened: a read, a write,
// and a body that is rejected while it is still being sent. Each prints the three statuses.

const run = promisify(execFile);
const directory = mkdtempSync(path.join(tmpdir(), "parlance-clients-"));

let web: RunningProcess & { url: string };
beforeAll(async () => {
  const pythonName = findPython("Python's httpx is not tested");
  if (pythonName) await preparePython(pythonName);
  web = await startWeb();
  expect((await fetch(`${web.url}/login`)).status).toBe(200);
});
afterAll(async () => {
  await web.end("SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

const java = `
import java.net.URI;
import java.net.http.*;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

public class Client {
  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    var large = new byte[6 * 1024 * 1024];
    java.util.Arrays.fill(large, (byte) 'x');
    System.out.print(send(client, args, "account", null) + " ");
    System.out.print(send(client, args, "customers", BodyPublishers.ofString("{\\"name\\":\\"Ada\\"}")) + " ");
    System.out.print(send(client, args, "customers", BodyPublishers.ofByteArray(large)));
  }

  static int send(HttpClient client, String[] args, String path, HttpRequest.BodyPublisher body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(args[0] + "/v1/public/" + path))
        .header("Authorization", "Bearer " + args[1]).header("Content-Type", "application/json");
    return client.send((body == null ? request.GET() : request.POST(body)).build(), BodyHandlers.ofString()).statusCode();
  }
}`;

const go = `
package main

import ("bytes"; "fmt"; "net/http"; "os"; "strings"; "io")

func send(method string, path string, body io.Reader) int {
	request, _ := http.NewRequest(method, os.Args[1]+"/v1/public/"+path, body)
	request.Header.Set("Authorization", "Bearer "+os.Args[2])
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil { fmt.Println(err); os.Exit(1) }
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
	return response.StatusCode
}

func main() {
	large := bytes.Repeat([]byte("x"), 6*1024*1024)
	fmt.Print(send("GET", "account", nil), " ")
	fmt.Print(send("POST", "customers", strings.NewReader("{\\"name\\":\\"Ada\\"}")), " ")
	fmt.Print(send("POST", "customers", bytes.NewReader(large)))
}`;

const httpx = `
import sys, httpx
with httpx.Client(base_url=sys.argv[1] + "/v1/public/", headers={"Authorization": "Bearer " + sys.argv[2]}) as client:
    print(client.get("account").status_code, client.post("customers", json={"name": "Ada"}).status_code, end=" ")
    print(client.post("customers", content=b"x" * 6 * 1024 * 1024, headers={"Content-Type": "application/json"}).status_code, end="")
`;

const dotnet = `
using System.Net.Http.Headers;
using System.Text;
var client = new HttpClient { DefaultRequestVersion = new Version(2, 0), BaseAddress = new Uri(args[0] + "/v1/public/") };
client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", args[1]);
StringContent Json(string text) => new(text, Encoding.UTF8, "application/json");
Console.Write((int)(await client.GetAsync("account")).StatusCode + " ");
Console.Write((int)(await client.PostAsync("customers", Json("{\\"name\\":\\"Ada\\"}"))).StatusCode + " ");
Console.Write((int)(await client.PostAsync("customers", Json(new string('x', 6 * 1024 * 1024)))).StatusCode);
`;

type Client = {
  name: string;
  needs: [string, ...string[]];
  files: Record<string, string>;
  command: [string, ...string[]];
};

const clients: Client[] = [
  {
    name: "Java's HttpClient",
    needs: ["javac", "-version"],
    files: { "Client.java": java },
    command: ["java", "Client.java"],
  },
  {
    name: "Go's net/http",
    needs: ["go", "version"],
    files: { "main.go": go },
    command: ["go", "run", "main.go"],
  },
  {
    name: "Python's httpx",
    needs: [python, "-c", "import httpx"],
    files: { "client.py": httpx },
    command: [python, "client.py"],
  },
  {
    name: ".NET's HttpClient",
    needs: ["dotnet", "--version"],
    files: {
      "Program.cs": dotnet,
      "client.csproj": `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType><TargetFramework>net8.0</TargetFramework><ImplicitUsings>enable</ImplicitUsings></PropertyGroup></Project>`,
    },
    command: ["dotnet", "run"],
  },
];

/** Whether a program is installed; otherwise the reason for skipping is printed. */
async function isAvailable(name: string, [program, ...args]: Client["needs"]): Promise<boolean> {
  try {
    await run(program, args);
    return true;
  } catch {
    process.stdout.write(
      `${name} is not tested: \`${[program, ...args].join(" ")}\` fails on this machine.\n`,
    );
    return false;
  }
}

test.for(clients)(
  "$name reads, writes and sees a 413",
  async ({ name, needs, files, command }, context) => {
    if (!(await isAvailable(name, needs))) return context.skip();
    const { key } = await newTenant();
    const folder = path.join(directory, name.replaceAll(/\W/g, ""));
    mkdirSync(folder);
    for (const [file, content] of Object.entries(files))
      writeFileSync(path.join(folder, file), content);
    const [program, ...args] = command;
    const { stdout } = await run(
      program,
      [...args, ...(program === "dotnet" ? ["--"] : []), web.url, key],
      {
        cwd: folder,
        timeout: 280_000,
      },
    );
    expect(stdout).toBe("200 201 413");
  },
);

test("curl --http2 reads, writes and sees a 413", async (context) => {
  if (!(await isAvailable("curl --http2", ["curl", "--version"]))) return context.skip();
  const { key } = await newTenant();
  const large = path.join(directory, "large");
  writeFileSync(large, Buffer.alloc(6 * 1_024 ** 2, "x"));
  const curl = async (resource: string, ...args: string[]) => {
    const common = [
      "--silent",
      "--http2",
      "--output",
      "/dev/null",
      "--write-out",
      "%{http_code}",
      "--header",
      `Authorization: Bearer ${key}`,
    ];
    return (await run("curl", [...common, ...args, `${web.url}/v1/public/${resource}`])).stdout;
  };
  const json = ["--header", "Content-Type: application/json"];
  expect(await curl("account")).toBe("200");
  expect(await curl("customers", ...json, "--data", '{"name":"Ada"}')).toBe("201");
  // Curl sends this much with Expect: 100-continue, and once without.
  expect(await curl("customers", ...json, "--data-binary", `@${large}`)).toBe("413");
  expect(
    await curl("customers", ...json, "--header", "Expect:", "--data-binary", `@${large}`),
  ).toBe("413");
});
