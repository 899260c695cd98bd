import { request } from "node:http";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { type Installation, startInstallation } from "../support/installation";

// The attack: one account makes the installation request a page that only its own machine may open,
// and reads the response in a webhook's attempts: the reset links of all other users.

let installation: Installation;

afterAll(() => installation.stop());

function send(
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const outgoing = request(
      new URL(path, installation.url),
      { method, headers },
      async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        resolve({ status: response.statusCode ?? 0, text });
      },
    );
    outgoing.on("error", reject).end();
  });
}

async function createWebhook(url: string) {
  const response = await fetch(new URL("/v1/public/webhooks", installation.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${installation.keys.test}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ url, events: ["*"] }),
  });
  const body = (await response.json()) as {
    id?: string;
    errors?: { pointer: string; message: string }[];
  };
  return {
    status: response.status,
    pointer: body.errors?.[0]?.pointer,
    message: body.errors?.[0]?.message,
  };
}

async function refusedAddresses(): Promise<string[]> {
  const client = new pg.Client({ connectionString: installation.databaseUrl });
  await client.connect();
  const { rows } = await client
    .query(
      "SELECT changes->>'url' AS url FROM audit_entries WHERE action = 'webhook.address_refused' ORDER BY sequence",
    )
    .finally(() => client.end());
  return rows.map(({ url }) => url);
}

const loopbackNames = [
  "127.0.0.1",
  "127.8.8.8",
  "localhost",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "0.0.0.0",
  "2130706433",
];
const mailPageOf = ({ mailPage, url }: Installation) => (mailPage ?? "").slice(url.length);

test("with the default settings, no webhook reaches the installation's own ports, and the audit log records each attempt", async () => {
  installation = await startInstallation({ isQuiet: true });
  const ports = [new URL(installation.url).port, new URL(installation.databaseUrl).port];
  const targets = ports.flatMap((port) =>
    loopbackNames.map((name) => `http://${name}:${port}/dev/mail`),
  );
  for (const target of targets)
    expect({ target, ...(await createWebhook(target)) }).toMatchObject({
      status: 422,
      pointer: "/url",
    });

  // A receiver on another local port is still reachable.
  expect(await createWebhook("http://127.0.0.1:9/")).toMatchObject({ status: 201 });
  expect(await refusedAddresses()).toEqual(targets);
}, 300_000);

test("the mail page opens with GET and only with the token from demo.json", async () => {
  const page = mailPageOf(installation);
  expect(page).toMatch(/^\/dev\/mail\?token=.{16,}$/);
  const { status, text } = await send(page);
  expect([status, text.includes("Emails</h1>")]).toEqual([200, true]);
  for (const path of ["/dev/mail", "/dev/mail?token=guess", "/dev/mail?token=", "/%64ev/mail"]) {
    expect([path, (await send(path)).status]).toEqual([path, 404]);
  }
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    expect([method, (await send(page, { method })).status]).toEqual([method, 405]);
  expect((await send(page.replace("/dev", "/%64ev"), { method: "POST" })).status).toBe(405);
});

test("the first request through a proxy or tunnel finds no mail page, and closes loopback to webhooks", async () => {
  expect(installation.admin("doctor")).toContain(
    "webhooks may reach this machine, because only this machine can connect",
  );
  const page = mailPageOf(installation);
  const signs: Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.7" },
    { "x-forwarded-for": "127.0.0.1, 203.0.113.7" },
    { "x-forwarded-host": "parlance.example.com" },
    { "x-forwarded-proto": "https" },
    { forwarded: "for=203.0.113.7" },
    { "cf-connecting-ip": "203.0.113.7" },
    { host: "parlance.example.com" },
  ];
  for (const headers of signs)
    expect([headers, (await send(page, { headers })).status]).toEqual([headers, 404]);

  expect(await createWebhook("http://127.0.0.1:9/")).toMatchObject({
    status: 422,
    pointer: "/url",
  });
  expect(installation.admin("doctor")).toContain(
    "closed to webhooks, because a request came through a proxy or tunnel",
  );
  expect((await send(page)).status).toBe(200);
  await installation.stop();
});

test("with a public APP_URL, loopback and the mail page are closed from the start", async () => {
  installation = await startInstallation({
    isQuiet: true,
    environment: { APP_URL: "https://parlance.example.com" },
  });
  expect(installation.mailPage).toBeNull();
  expect((await send(`/dev/mail?token=${installation.secrets().MAIL_PAGE_TOKEN}`)).status).toBe(
    404,
  );
  for (const name of loopbackNames)
    expect({ name, ...(await createWebhook(`http://${name}:9/`)) }).toMatchObject({
      status: 422,
      pointer: "/url",
    });
  expect(await refusedAddresses()).toHaveLength(loopbackNames.length);
}, 300_000);
