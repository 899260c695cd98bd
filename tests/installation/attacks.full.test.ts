import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionReply, formOf, newBrowser } from "../support/browser";
import { type Installation, startInstallation } from "../support/installation";
import { startMailServer } from "../support/mail-server";
import { head, openRaw, statusesIn } from "../support/raw-http";

// Ways to take over an account or to stop the service, each replayed from outside, over HTTP alone,
// against an installation started with `npm start`. The database is read to check the results, and
// written only to expire a proof.

const password = "correct horse battery";
const publicHost = "parlance.example.com";
const viaProxy = {
  host: publicHost,
  "x-forwarded-host": publicHost,
  "x-forwarded-proto": "https",
  "x-forwarded-for": "198.51.100.7",
};

const configurations = [
  { name: "with the default settings", isPublic: false, headers: {} },
  { name: `with APP_URL=https://${publicHost} and SMTP`, isPublic: true, headers: viaProxy },
];

describe.each(configurations)("$name", ({ isPublic, headers }) => {
  let installation: Installation;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  let database: pg.Client;
  beforeAll(async () => {
    mailServer = await startMailServer();
    const environment = {
      APP_URL: `https://${publicHost}`,
      TRUSTED_PROXY_HOPS: "1",
      SMTP_URL: mailServer.url,
      MAIL_FROM: "parlance@example.com",
    };
    installation = await startInstallation({ isQuiet: true, ...(isPublic && { environment }) });
    database = new pg.Client({ connectionString: installation.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await installation?.stop();
    await mailServer?.close();
  });

  let number = 0;
  const newAddress = (name: string) => `${name}-${++number}@example.com`;
  const openBrowser = () => newBrowser({ url: installation.url, headers });
  type Browser = ReturnType<typeof openBrowser>;
  const query = async <Row extends pg.QueryResultRow>(sql: string, ...values: unknown[]) =>
    (await database.query<Row>(sql, values)).rows;

  /** The audit entries of an organization for these actions, in order. */
  const auditOf = (slug: string, ...actions: string[]) =>
    query<{ action: string; changes: unknown }>(
      `SELECT action, changes FROM audit_entries WHERE tenant_id = (SELECT id FROM tenants WHERE slug = $1) AND action = ANY($2)
        ORDER BY sequence`,
      slug,
      actions,
    );

  /** The path of the newest link of this kind in the mails to an address. */
  async function mailedLink(
    kind: "password" | "verify" | "invite",
    recipient: string,
  ): Promise<string> {
    let found: string | undefined;
    const pattern = new RegExp(`/${kind}/[\\w-]+`);
    await expect
      .poll(async () => {
        found = (await mailsTo(recipient)).map((text) => pattern.exec(text)?.[0]).find(Boolean);
        return found;
      })
      .toBeDefined();
    return found ?? "";
  }

  async function mailsTo(recipient: string): Promise<string[]> {
    const decoded = (source: string) => source.replaceAll(/=\r\n/g, "").replaceAll("=3D", "=");
    if (isPublic) {
      const mails = mailServer.mails.filter(({ to }) => to.includes(recipient));
      return mails.map(({ source }) => decoded(source)).toReversed();
    }
    const { text } = await openBrowser().send(
      (installation.mailPage ?? "").slice(installation.url.length),
    );
    return text.split("<li").filter((mail) => mail.includes(recipient));
  }

  async function signUp(email: string, { isVerified = true } = {}) {
    const browser = openBrowser();
    const form = formOf({ organization: `Engines ${++number}`, name: "Ada", email, password });
    const { location } = await browser.act("/signup", "signUpAction", {}, form);
    const slug = location?.split("/").at(-2) ?? "";
    expect(location).toBe(`/${slug}/test`);
    if (isPublic && isVerified) {
      const link = await mailedLink("verify", email);
      await browser.act(
        link,
        "confirmEmailAction",
        link.split("/").at(-1) ?? "",
        "everything",
        {},
        new FormData(),
      );
    }
    return { browser, slug, email };
  }

  const inviteAs = (browser: Browser, slug: string, email: string, role: string) =>
    browser.act(
      `/${slug}/test/settings/members`,
      "inviteAction",
      { tenant: slug, environment: "test" },
      formOf({ email, role }),
    );

  /** Invites someone. @returns the path of the link */
  async function invite(
    browser: Browser,
    slug: string,
    email: string,
    role: string,
  ): Promise<string> {
    const reply = await inviteAs(browser, slug, email, role);
    expect(reply.value).toMatchObject({ outcome: "done" });
    return isPublic ? mailedLink("invite", email) : linkIn(reply);
  }

  /** If no mail is sent, the inviter sees the link. */
  const linkIn = ({ value }: ActionReply) =>
    new URL((value as { value: { shareableLink: { link: string } } }).value.shareableLink.link)
      .pathname;

  /** Opens an invitation as a user without an account. */
  async function accept(link: string): Promise<ActionReply & { browser: Browser }> {
    const browser = openBrowser();
    const token = link.split("/").at(-1) ?? "";
    return {
      browser,
      ...(await browser.act(
        link,
        "acceptAsNewUserAction",
        token,
        {},
        formOf({ name: "Grace", password }),
      )),
    };
  }

  /** Accepting leads back to the link, whose page says that it is no longer valid. */
  async function expectOver(link: string): Promise<void> {
    const { browser, location } = await accept(link);
    expect(location).toBe(link);
    expect((await browser.send(link)).text).toContain("already used, was revoked");
  }

  const memberAction = (browser: Browser, slug: string, action: string, ...given: string[]) =>
    browser.act(
      `/${slug}/test/settings/members`,
      action,
      { tenant: slug, environment: "test" },
      ...given,
    );

  const createKey = (browser: Browser, slug: string, environment: string) =>
    browser.act(
      `/${slug}/${environment}/api-keys`,
      "createApiKeyAction",
      slug,
      formOf({
        environment,
        name: "key",
        scopes: ["read:usage", "read:webhooks", "write:webhooks"],
        expiry: "never",
      }),
    );
  const keyIn = ({ value }: ActionReply) =>
    (value as { value?: { key?: string } })?.value?.key ?? "";

  const createWebhook = (browser: Browser, slug: string, environment: string) =>
    browser.act(
      `/${slug}/${environment}/webhooks/new`,
      "createWebhookAction",
      { tenant: slug, environment },
      { url: "https://example.com/hook", events: ["*"] },
    );

  const call = (key: string, operation: string, body?: object) =>
    openBrowser().send(`/v1/public${operation}`, {
      method: body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${key}`,
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  const userId = async (email: string) =>
    (await query<{ id: string }>("SELECT id FROM users WHERE email = $1", email))[0]?.id ?? "";
  const membersOf = (slug: string) =>
    query(
      "SELECT u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id JOIN tenants t ON t.id = m.tenant_id WHERE t.slug = $1",
      slug,
    );

  test("a fresh sign-up cannot make the installation fetch its own mail page or database", async () => {
    const { browser, slug } = await signUp(newAddress("mallory"));
    const key = keyIn(await createKey(browser, slug, "test"));
    const ports = [installation.url, installation.databaseUrl].map((url) => new URL(url).port);
    const targets = ports.flatMap((port) =>
      ["127.0.0.1", "localhost", "[::1]"].map((name) => `http://${name}:${port}/dev/mail`),
    );
    for (const url of targets)
      expect([url, (await call(key, "/webhooks", { url, events: ["*"] })).status]).toEqual([
        url,
        422,
      ]);

    expect((await auditOf(slug, "webhook.address_refused")).map(({ changes }) => changes)).toEqual(
      targets.map((url) => ({ url })),
    );
    expect((await openBrowser().send("/dev/mail")).status).toBe(404);
  });

  const paths = [
    "/api/auth/callback/credentials",
    "/api/auth/signin/credentials",
    "/api/auth/signout",
    "/api/auth/_log",
    "/api/auth/session",
  ];
  const growing = Buffer.from(`email=a%40example.com&password=${"\uFDFA".repeat(2_000_000)}`);
  const form = "application/x-www-form-urlencoded";

  test("6 MB of text that grows is rejected before it has arrived, and does not block other users", async () => {
    const attacks = paths.flatMap((target) =>
      [true, false].map((isChunked) => ({ target, isChunked })),
    );
    const open = await Promise.all(
      attacks.map(async ({ target, isChunked }) => {
        const connection = await openRaw(installation.url);
        const [name, value] = isChunked
          ? ["Transfer-Encoding", "chunked"]
          : ["Content-Length", growing.length];
        connection.socket.write(
          head(`POST ${target} HTTP/1.1`, { "Content-Type": form, [String(name)]: value ?? 0 }),
        );
        if (isChunked) connection.socket.write(`${growing.length.toString(16)}\r\n`);
        // All but the end: a server that waits for the whole text would not respond.
        connection.socket.write(growing.subarray(0, -1));
        return connection;
      }),
    );
    const texts = await Promise.all(open.map(({ until }) => until(/\r\n\r\n\{.*\}/s)));
    expect(texts.map(statusesIn)).toEqual(attacks.map(() => [413]));

    // While every one of them is still sending.
    for (const page of ["/login", "/health", "/ready"])
      expect([page, (await openBrowser().send(page)).status]).toEqual([page, 200]);
    const { browser } = await signUp(newAddress("ada"));
    expect((await browser.send("/api/auth/session")).text).toContain("Ada");
    for (const { socket } of open) socket.destroy();

    // The account is unknown until the body is read, so the operator's log records it.
    await expect
      .poll(() => logOf("web"))
      .toMatch(/"path":"\/api\/auth\/[^\n]*"a request body was refused as too large"/);
  });

  test("6 MB sent completely are rejected, too", async () => {
    for (const target of paths) {
      for (const body of [growing, new Blob([growing]).stream()]) {
        const init = {
          method: "POST",
          headers: { "content-type": form },
          body,
          duplex: "half",
        } as RequestInit;
        expect([target, (await fetch(new URL(target, installation.url), init)).status]).toEqual([
          target,
          413,
        ]);
      }
    }
  });

  test("such text up to the size limit is rejected before it is parsed, and the account's audit log records it", async () => {
    const { email, slug } = await signUp(newAddress("ada"));
    const stranger = openBrowser();
    const { csrfToken } = JSON.parse((await stranger.send("/api/auth/csrf")).text);
    const fields = new URLSearchParams({ csrfToken, email, callbackUrl: "/", json: "true" });
    const body = Buffer.from(`${fields}&password=${"\uFDFA".repeat(5_000)}`);
    expect(body.length).toBeLessThan(16 * 1_024);
    const sent = {
      method: "POST",
      headers: { "content-type": form, "content-length": String(body.length) },
      body,
    };
    const reply = await stranger.send("/api/auth/callback/credentials", sent);
    expect([reply.status, reply.text]).toEqual([401, expect.stringContaining("CredentialsSignin")]);
    await expect.poll(() => auditOf(slug, "user.sign_in_failed")).toHaveLength(1);
  });

  const logOf = (name: string) => {
    const directory = path.join(installation.directory, "logs");
    const files = readdirSync(directory).filter((file) => file.startsWith(name));
    return files.map((file) => readFileSync(path.join(directory, file), "utf8")).join("");
  };

  test("a stolen session without a fresh proof cannot invite, resend or remove, whatever its role", async () => {
    const { browser: stolen, slug, email } = await signUp(newAddress("ada"));
    const member = newAddress("grace");
    expect((await accept(await invite(stolen, slug, member, "ADMIN"))).location).toBe(
      `/${slug}/test`,
    );
    await invite(stolen, slug, newAddress("open"), "OWNER");
    const [open] = await query<{ id: string }>(
      "SELECT i.id FROM invitations i JOIN tenants t ON t.id = i.tenant_id WHERE t.slug = $1 AND accepted_at IS NULL",
      slug,
    );
    await query(
      "UPDATE sessions SET proved_at = proved_at - interval '1 hour' WHERE user_id = $1",
      await userId(email),
    );
    const membersBefore = await membersOf(slug);
    const mailsBefore = mailServer.mails.length;

    const attempts: [string, () => Promise<ActionReply>][] = [
      ...["OWNER", "ADMIN", "MEMBER"].map((role): [string, () => Promise<ActionReply>] => [
        "invite a member",
        () => inviteAs(stolen, slug, newAddress("mallory"), role),
      ]),
      [
        "resend an invitation",
        () => memberAction(stolen, slug, "resendInvitationAction", open?.id ?? ""),
      ],
      [
        "revoke an invitation",
        () => memberAction(stolen, slug, "revokeInvitationAction", open?.id ?? ""),
      ],
      [
        "change a role",
        async () => memberAction(stolen, slug, "changeRoleAction", await userId(member), "OWNER"),
      ],
      [
        "remove a member",
        async () => memberAction(stolen, slug, "removeMemberAction", await userId(member)),
      ],
      ["create a live key", () => createKey(stolen, slug, "live")],
      ["create a live webhook", () => createWebhook(stolen, slug, "live")],
    ];
    for (const [what, attempt] of attempts)
      expect((await attempt()).value).toEqual({ outcome: "proof-needed", what });

    expect(await membersOf(slug)).toEqual(membersBefore);
    expect(await auditOf(slug, "invitation.created")).toHaveLength(2);
    expect(mailServer.mails).toHaveLength(mailsBefore);
    expect(
      (await auditOf(slug, "user.confirmation_required")).map(({ changes }) => changes),
    ).toEqual(attempts.map(([attempt]) => ({ after: { attempt, missing: "proof" } })));

    // With the password, the same requests succeed, so only the proof was missing.
    expect(
      (await stolen.act(`/${slug}/test`, "confirmPasswordAction", password)).value,
    ).toMatchObject({ outcome: "done" });
    expect(
      (await memberAction(stolen, slug, "removeMemberAction", await userId(member))).value,
    ).toMatchObject({ outcome: "done" });
    expect(await membersOf(slug)).toHaveLength(1);
  });

  test("the owner of an address gets the account back without the access that a squatter added", async () => {
    const {
      browser: squatter,
      slug,
      email,
    } = await signUp(newAddress("victim"), { isVerified: false });
    // If mail is configured, privileged actions require a verified address.
    const attempts = [
      await createKey(squatter, slug, "live"),
      await createWebhook(squatter, slug, "live"),
      await inviteAs(squatter, slug, newAddress("mallory"), "OWNER"),
    ];
    const made = isPublic ? "test" : "live";
    if (isPublic) {
      const refused = {
        outcome: "refused",
        message: expect.stringContaining("Confirm your email address to "),
      };
      expect(attempts.map(({ value }) => value)).toEqual(
        attempts.map(() => expect.objectContaining(refused)),
      );
      const missing = "verified email address";
      const tried = ["create a live key", "create a live webhook", "invite a member"];
      expect(
        (await auditOf(slug, "user.confirmation_required")).map(({ changes }) => changes),
      ).toEqual(tried.map((attempt) => ({ after: { attempt, missing } })));
      attempts.splice(
        0,
        2,
        await createKey(squatter, slug, "test"),
        await createWebhook(squatter, slug, "test"),
      );
    }
    const [key, webhook, open] = attempts;
    expect([key?.value, webhook?.value]).toMatchObject([{ outcome: "done" }, { outcome: "done" }]);
    const stolenKey = keyIn(key as ActionReply);
    expect((await call(stolenKey, "/usage")).status).toBe(200);
    const accomplice = isPublic
      ? null
      : await accept(await invite(squatter, slug, newAddress("mallory"), "OWNER"));

    const owner = openBrowser();
    await owner.act("/password", "requestResetAction", {}, formOf({ email }));
    const link = await mailedLink("password", email);
    const reset = await owner.act(
      link,
      "resetPasswordAction",
      link.split("/").at(-1) ?? "",
      {},
      formOf({ password: "another horse battery" }),
    );
    expect(reset.location).toBe("/");

    expect((await call(stolenKey, "/usage")).status).toBe(401);
    const ownKey = keyIn(await createKey(owner, slug, made));
    const webhooks = JSON.parse((await call(ownKey, "/webhooks")).text).data;
    expect(webhooks).toMatchObject([{ status: "DISABLED", disabledReason: "UNCONFIRMED" }]);
    expect((await squatter.send(`/${slug}/test`)).headers.location).toContain("/login");
    if (accomplice) {
      expect(accomplice.location).toBe(`/${slug}/test`);
      expect((await accomplice.browser.send(`/${slug}/test`)).status).toBe(404);
      await expectOver(linkIn(open as ActionReply));
    }
    const [entry] = await auditOf(slug, "access.suspended");
    expect(entry?.changes).toMatchObject({
      after: {
        apiKeys: [expect.any(String)],
        webhooks: [expect.any(String)],
        ...(accomplice && { members: [expect.any(String)] }),
      },
    });
    expect(
      (await auditOf(slug, "user.email_verified", "user.password_reset"))
        .map(({ action }) => action)
        .sort(),
    ).toEqual(["user.email_verified", "user.password_reset"]);
  });

  test.each(["removed", "demoted"])(
    "an admin who is %s does not return through an invitation they left open",
    async (how) => {
      const { browser: owner, slug } = await signUp(newAddress("ada"));
      const email = newAddress("mallory");
      const { browser: admin, location } = await accept(await invite(owner, slug, email, "ADMIN"));
      expect(location).toBe(`/${slug}/test`);
      const wayBack = newAddress("way-back");
      const link = await invite(admin, slug, wayBack, "ADMIN");

      const id = await userId(email);
      const ended =
        how === "removed" ? ["removeMemberAction", id] : ["changeRoleAction", id, "MEMBER"];
      const [action = "", ...given] = ended;
      expect((await memberAction(owner, slug, action, ...given)).value).toMatchObject({
        outcome: "done",
      });

      await expectOver(link);
      expect((await membersOf(slug)).map(({ email: address }) => address)).not.toContain(wayBack);
      const told = await auditOf(
        slug,
        "invitation.revoked",
        "member.removed",
        "member.role_changed",
        "invitation.accepted",
      );
      expect(told.map((entry) => entry.action).sort()).toEqual(
        [
          "invitation.accepted",
          "invitation.revoked",
          how === "removed" ? "member.removed" : "member.role_changed",
        ].sort(),
      );
      expect(told.find((entry) => entry.action === "invitation.revoked")?.changes).toEqual({
        before: { email: wayBack, role: "ADMIN" },
      });
    },
  );
});
