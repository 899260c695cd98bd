import type { Page, Request } from "@playwright/test";
import { queryDatabase } from "./database";
import { newTestKey, signUp } from "./sign-up";
import { expect, test } from "./test";

const sessionCookie = async (page: Page) => {
  const found = (await page.context().cookies()).find(
    ({ name }) => name === "next-auth.session-token",
  );
  if (!found) throw new Error("no user is signed in");
  return found;
};

const nameOf = async (tenantSlug: string) => {
  const [tenant] = await queryDatabase<{ name: string }>(
    "SELECT name FROM tenants WHERE slug = $1",
    [tenantSlug],
  );
  return tenant?.name;
};

/**
 * Repeats a server action unchanged, except for its Origin header. Only browsers can set that header,
 * pages cannot.
 */
async function replay(
  sent: Request,
  cookie: string,
  body: string,
  origin: string,
): Promise<number> {
  const {
    host: _host,
    "content-length": _length,
    connection: _connection,
    ...headers
  } = await sent.allHeaders();
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(":")));
  const response = await fetch(sent.url(), {
    method: "POST",
    headers: { ...own, cookie, origin },
    body,
    redirect: "manual",
  });
  await response.arrayBuffer();
  return response.status;
}

test("a server action sent by a page of another host is not executed", async ({
  page,
  baseURL,
}) => {
  const { tenantSlug } = await signUp(page);
  await page.goto(`/${tenantSlug}/test/settings`);
  const action = page.waitForRequest(
    (request) => request.method() === "POST" && "next-action" in request.headers(),
  );
  await page.getByLabel("Name", { exact: true }).fill("First name");
  await page.getByRole("button", { name: "Save name" }).click();
  const sent = await action;
  await expect.poll(() => nameOf(tenantSlug)).toBe("First name");

  const { name, value } = await sessionCookie(page);
  const body = sent.postData()?.replace("First name", "Second name") ?? "";
  expect(body).toContain("Second name");
  for (const origin of ["https://elsewhere.example", "http://localhost:1", "null"]) {
    expect(await replay(sent, `${name}=${value}`, body, origin), origin).toBe(403);
    expect(await nameOf(tenantSlug), origin).toBe("First name");
  }
  // The same action from its own page is executed, so only the origin caused the rejection.
  expect(await replay(sent, `${name}=${value}`, body, new URL(baseURL ?? "").origin)).toBe(200);
  expect(await nameOf(tenantSlug)).toBe("Second name");
});

test("401 for a session cookie at the API, wherever the API reads keys", async ({
  page,
  request,
}) => {
  await signUp(page);
  const { name, value } = await sessionCookie(page);
  for (const path of ["/account", "/conversations", "/webhooks", "/usage"]) {
    for (const [header, credential] of [
      ["cookie", `${name}=${value}`],
      ["authorization", `Bearer ${value}`],
    ] as const) {
      const response = await request.get(`/v1/public${path}`, {
        headers: { [header]: credential },
      });
      expect([path, response.status()]).toEqual([path, 401]);
    }
  }
  const written = await page.request.post("/v1/public/conversations", {
    data: { channelId: "web", message: "Hello" },
  });
  expect(written.status()).toBe(401);
});

test("no page of settings, keys and webhooks contains a hash, a secret or a token, in HTML or in data loaded by the router @full", async ({
  page,
}) => {
  const { email, tenantSlug } = await signUp(page);
  const base = `/${tenantSlug}/test`;
  const key = await newTestKey(page);
  const made = await page.request.post("/v1/public/webhooks", {
    headers: { authorization: `Bearer ${key}` },
    data: { url: "http://127.0.0.1:9/", events: ["*"] },
  });
  expect(made.status()).toBe(201);
  const webhook: { id: string; secret: string } = await made.json();
  const [apiKey] = await queryDatabase<{ id: string; hash: string }>(
    "SELECT k.id, encode(k.hash, 'hex') AS hash FROM api_keys k JOIN tenants t ON t.id = k.tenant_id WHERE t.slug = $1",
    [tenantSlug],
  );

  await page.goto(`${base}/settings/members`);
  await page.getByRole("button", { name: "Invite member" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill(`grace-${tenantSlug}@example.com`);
  await dialog.getByRole("button", { name: "Send invitation", exact: true }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();

  const [stored] = await queryDatabase<Record<string, string>>(
    `SELECT u.password_hash, encode(i.token_hash, 'hex') AS token_hex, encode(i.token_hash, 'base64') AS token_base64, s.ciphertext
      FROM users u JOIN memberships m ON m.user_id = u.id JOIN invitations i ON i.tenant_id = m.tenant_id
      JOIN webhook_secrets s ON s.tenant_id = m.tenant_id WHERE u.email = $1`,
    [email],
  );
  const secrets: Record<string, string | undefined> = {
    ...{
      "an API key": key,
      "the hash of an API key": apiKey?.hash,
      "a signing secret": webhook.secret,
    },
    "a signing secret without its prefix": webhook.secret.replace(/^whsec_/, ""),
    "a sealed signing secret": stored?.ciphertext,
    "a password's hash": stored?.password_hash,
    "an invitation's token": link.split("/invite/")[1],
    "the hash of an invitation's token": stored?.token_hex,
    "the hash of an invitation's token, otherwise written": stored?.token_base64,
    "the session's token": (await sessionCookie(page)).value,
  };
  for (const [what, secret] of Object.entries(secrets))
    expect(secret?.length, what).toBeGreaterThan(20);

  const settings = ["", "/members", "/profile", "/audit-log"].map((rest) => `/settings${rest}`);
  const webhooks = ["", "/new", `/${webhook.id}`, `/${webhook.id}/edit`].map(
    (rest) => `/webhooks${rest}`,
  );
  for (const path of [...settings, "/api-keys", `/api-keys/${apiKey?.id}`, ...webhooks]) {
    for (const [kind, header] of [
      ["text/html", "accept"],
      ["text/x-component", "rsc"],
    ] as const) {
      const response = await page.request.get(`${base}${path}`, {
        headers: { [header]: header === "rsc" ? "1" : kind },
      });
      expect([path, response.status(), response.headers()["content-type"]]).toEqual([
        path,
        200,
        expect.stringContaining(kind),
      ]);
      const text = await response.text();
      expect(text, path).toContain(tenantSlug);
      const found = Object.entries(secrets).filter(([, secret]) => text.includes(secret ?? "-"));
      expect([
        path,
        kind,
        found.map(([what]) => what),
        /\$argon2|whsec_[\w+/=-]{20}/.exec(text)?.[0],
      ]).toEqual([path, kind, [], undefined]);
    }
  }
});
