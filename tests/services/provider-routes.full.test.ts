import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hashPassword } from "@/lib/auth/password";
import { failureLimits } from "@/lib/auth/throttle";
import { openMail } from "@/lib/mail/service";
import { db } from "@/lib/platform/db";
import { introduce, startIdentityProvider } from "../support/identity-provider";
import { newAddress, newOrganization } from "../support/people";
import { type RunningProcess, startWeb } from "../support/processes";

// Through the built product, with a browser's cookies and a provider on this machine.

let provider: Awaited<ReturnType<typeof startIdentityProvider>>;
let web: RunningProcess & { url: string };
beforeAll(async () => {
  provider = await startIdentityProvider();
  // So each browser can have its own address.
  web = await startWeb({ ...provider.environment, TRUSTED_PROXY_HOPS: "1" });
});
afterEach(() => {
  provider.state.isDown = false;
});
afterAll(async () => {
  await web?.end();
  await provider?.close();
});

let number = 0;

/** Follows no redirects, stores cookies, and has its own address. */
function newBrowser(address = `10.11.${++number >> 8}.${number & 255}`) {
  const cookies = new Map<string, string>();
  async function go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      "X-Forwarded-For": address,
    };
    const response = await fetch(new URL(path, web.url), { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }
  /** @returns the address of the provider's page */
  async function begin(id: string, callbackUrl = "/", query = ""): Promise<URL> {
    const { csrfToken } = await (await go("/api/auth/csrf")).json();
    const body = new URLSearchParams({ csrfToken, callbackUrl, json: "true" });
    return new URL(
      (await (await go(`/api/auth/signin/${id}${query}`, { method: "POST", body })).json()).url,
    );
  }
  /** @returns where the provider sends the browser back to */
  async function decide(page: URL, login: string, decision = "Authorize"): Promise<URL> {
    page.searchParams.set("login", login);
    page.searchParams.set("decision", decision);
    return new URL((await fetch(page, { redirect: "manual" })).headers.get("location") ?? "");
  }
  /** Follows redirects like a browser, up to a page. @returns its path */
  async function follow(address: URL | string): Promise<string> {
    let url = new URL(address, web.url);
    for (let step = 0; step < 8; step++) {
      const location = (await go(url.href)).headers.get("location");
      if (!location) break;
      url = new URL(location, url);
    }
    expect(url.origin).toBe(web.url);
    return `${url.pathname}${url.search}`;
  }
  const signIn = async (id: string, login: string, callbackUrl?: string) =>
    follow(await decide(await begin(id, callbackUrl), login));
  /** @returns the error that next-auth reports, or null */
  async function signInByPassword(email: string, password: string): Promise<string | null> {
    const { csrfToken } = await (await go("/api/auth/csrf")).json();
    const body = new URLSearchParams({
      csrfToken,
      email,
      password,
      callbackUrl: "/",
      json: "true",
    });
    const { url } = await (
      await go("/api/auth/callback/credentials", { method: "POST", body })
    ).json();
    return new URL(url, web.url).searchParams.get("error");
  }
  return { address, cookies, go, begin, decide, follow, signIn, signInByPassword };
}

async function newLogin({ email = newAddress("grace"), isVerified = true } = {}) {
  const id = 1_000 + ++number;
  const login = `grace${id}`;
  await introduce(provider.url, login, { id, name: "Grace Hopper", email, isVerified });
  return { id, login, email };
}

const errorIn = (path: string) => new URL(path, web.url).searchParams.get("error");
const sessionOf = async (browser: ReturnType<typeof newBrowser>) =>
  (await browser.go("/api/auth/session")).json();

test.each(["github", "google"])(
  "a new user signs in with %s, and names their organization",
  async (id) => {
    const { login, email } = await newLogin();
    const browser = newBrowser();

    expect(await browser.signIn(id, login)).toBe("/welcome");

    expect(await sessionOf(browser)).toMatchObject({ user: { name: "Grace Hopper", email } });
    const session = await db().session.findFirstOrThrow({ where: { user: { email } } });
    expect(session.method).toBe(id.toUpperCase());
    expect(session.address).toMatch(/^10\.11\./);
  },
);

test("requests carry state, PKCE and, for Google, a nonce, and ask only for name and address", async () => {
  const github = await newBrowser().begin("github");
  expect(Object.fromEntries(github.searchParams)).toMatchObject({
    ...{
      client_id: "parlance-test",
      scope: "read:user user:email",
      code_challenge_method: "S256",
      response_type: "code",
    },
    ...{
      redirect_uri: `${web.url}/api/auth/callback/github`,
      state: expect.any(String),
      code_challenge: expect.any(String),
    },
  });
  const google = await newBrowser().begin("google", "/", "?prompt=select_account");
  expect(Object.fromEntries(google.searchParams)).toMatchObject({
    ...{ scope: "openid email profile", nonce: expect.any(String), state: expect.any(String) },
    ...{ code_challenge: expect.any(String), prompt: "select_account" },
  });
});

test.each(["github", "google"])("an address that %s has not verified is refused", async (id) => {
  const { login, email } = await newLogin({ isVerified: false });
  const browser = newBrowser();

  const path = await browser.signIn(id, login, "/welcome");

  expect(errorIn(path)).toBe("EmailUnverified");
  expect(new URL(path, web.url).searchParams.get("callbackUrl")).toBe(`${web.url}/welcome`);
  expect(await (await browser.go(path)).text()).toContain("has no verified email address");
  expect(await sessionOf(browser)).toEqual({});
  expect(await db().user.findUnique({ where: { email } })).toBeNull();
});

test("an unverified account loses its password to the verified owner of the address", async () => {
  const { owner, tenant } = await newOrganization("a hash");
  const { login } = await newLogin({ email: owner.email });
  const browser = newBrowser();

  expect(await browser.signIn("github", login)).toBe(`/${tenant.slug}/test`);
  expect(await db().user.findUniqueOrThrow({ where: { id: owner.id } })).toMatchObject({
    passwordHash: null,
  });
});

test("a code from another browser, or an altered one, signs no one in", async () => {
  const { login } = await newLogin();
  const [mine, victim] = [newBrowser(), newBrowser()];
  const back = await mine.decide(await mine.begin("github"), login);

  expect(errorIn(await victim.follow(back))).toBe("OAuthCallback");
  await victim.begin("github");
  expect(errorIn(await victim.follow(back))).toBe("OAuthCallback");
  back.searchParams.set("state", "another");
  expect(errorIn(await mine.follow(back))).toBe("OAuthCallback");
  for (const browser of [mine, victim]) expect(await sessionOf(browser)).toEqual({});
});

test("only our own pages can start a sign-in", async () => {
  const browser = newBrowser();
  const response = await browser.go("/api/auth/signin/github", {
    method: "POST",
    body: new URLSearchParams({ callbackUrl: "/" }),
  });
  expect(response.headers.get("location")).not.toContain(provider.url);
  expect(await browser.follow("/api/auth/signin/github")).toMatch(/^\/login/);
});

test.each([
  "https://elsewhere.example/",
  "//elsewhere.example",
  "/\\elsewhere.example",
  "/api/auth/signout",
])("%s is nowhere to come back to", async (callbackUrl) => {
  const { login } = await newLogin();
  expect(await newBrowser().signIn("google", login, callbackUrl)).toBe("/welcome");
});

test("a canceled sign-in says so", async () => {
  const { login } = await newLogin();
  const browser = newBrowser();

  const path = await browser.follow(
    await browser.decide(await browser.begin("github"), login, "Cancel"),
  );

  expect(errorIn(path)).toBe("Callback");
  expect(await (await browser.go(path)).text()).toContain("was canceled or denied");
});

test("a provider that is unavailable before or after its page is named as the reason", async () => {
  const { login } = await newLogin();
  const browser = newBrowser();
  const back = await browser.decide(await browser.begin("github"), login);

  provider.state.isDown = true;
  expect(errorIn(await browser.follow(back))).toBe("OAuthCallback");
  const path = await browser.follow((await browser.begin("google")).href);
  expect(await (await browser.go(path)).text()).toContain("could not be reached");
});

test("a signed-in user proves their identity with a provider, and is not replaced by another user", async () => {
  const [grace, eve] = [await newLogin(), await newLogin()];
  const browser = newBrowser();
  await browser.signIn("github", grace.login);
  await db().session.updateMany({
    where: { user: { email: grace.email } },
    data: { provedAt: new Date(0) },
  });

  const path = await browser.signIn("github", eve.login, "/confirmed");
  expect(errorIn(path)).toBe("OtherAccount");
  expect(await (await browser.go(path)).text()).toContain("You are still signed in as");
  expect(await (await browser.go("/confirmed")).text()).toContain("Identity not confirmed");

  expect(await browser.signIn("github", grace.login, "/confirmed")).toBe("/confirmed");
  expect(await (await browser.go("/confirmed")).text()).toContain("Identity confirmed");
  expect(await db().session.count({ where: { user: { email: grace.email } } })).toBe(1);
});

test("one network returns from a provider at most fifty times in a quarter of an hour", async () => {
  const browser = newBrowser();
  const paths = [];
  for (let attempt = 0; attempt < 51; attempt++) {
    paths.push(
      (await browser.go("/api/auth/callback/github?code=guess&state=guess")).headers.get(
        "location",
      ) ?? "",
    );
  }
  expect(paths.filter((path) => errorIn(path) === "TooManyAttempts")).toEqual([paths[50]]);
});

test("pages offer the configured providers, and their policy allows forms to no others", async () => {
  const configured = await newBrowser().go("/login");
  expect(configured.headers.get("content-security-policy")).toContain("form-action 'self';");
  const page = await configured.text();
  for (const name of ["GitHub", "Google"]) expect(page).toContain(`Continue with ${name}`);

  const plain = await startWeb();
  try {
    for (const path of ["/login", "/signup"]) {
      const text = await (await fetch(`${plain.url}${path}`)).text();
      expect(text).toContain("Password");
      expect(text).not.toContain("Continue with");
    }
    expect(Object.keys(await (await fetch(`${plain.url}/api/auth/providers`)).json())).toEqual([
      "credentials",
    ]);
  } finally {
    await plain.end();
  }
});

test("a known browser signs in although strangers used up the limit of its network", async () => {
  const password = "correct horse battery";
  const { owner } = await newOrganization(await hashPassword(password));
  const browser = newBrowser();
  expect(await browser.signInByPassword(owner.email, password)).toBeNull();
  const mail = await db().mail.findFirstOrThrow({
    where: { recipient: owner.email, kind: "new-sign-in" },
  });
  expect(openMail(mail)?.text).toContain(browser.address);
  expect([...browser.cookies.keys()]).toContain("parlance.device");

  const stranger = newBrowser(browser.address);
  for (let guess = 0; guess < failureLimits[0].limit; guess++) {
    expect(await stranger.signInByPassword(owner.email, "wrong password")).toBe(
      "CredentialsSignin",
    );
  }
  expect(await stranger.signInByPassword(owner.email, password)).toBe("TooManyAttempts");

  browser.cookies.delete("next-auth.session-token");
  expect(await browser.signInByPassword(owner.email, password)).toBeNull();
  expect(await sessionOf(browser)).toMatchObject({ user: { email: owner.email } });
  expect(await db().mail.count({ where: { recipient: owner.email, kind: "new-sign-in" } })).toBe(1);
});

test("signing in with GitHub or Google makes a browser known", async () => {
  const { login, email } = await newLogin();
  const browser = newBrowser();
  await browser.signIn("github", login);
  browser.cookies.delete("next-auth.session-token");
  await browser.signIn("github", login);
  expect(await db().mail.count({ where: { recipient: email } })).toBe(0);
  await newBrowser().signIn("github", login);
  expect(await db().mail.count({ where: { recipient: email, kind: "new-sign-in" } })).toBe(1);
});

test("404 for the route by which next-auth's browser code would write into the log", async () => {
  const response = await newBrowser().go("/api/auth/_log", {
    method: "POST",
    body: new URLSearchParams({ level: "error", code: "FORGED" }),
  });
  expect(response.status).toBe(404);
});
