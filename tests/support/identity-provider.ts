import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A user of the provider. Found by the login that is typed on its sign-in page. */
export type ProviderPerson = {
  id: number;
  name: string | null;
  email: string;
  isVerified: boolean;
};

type Grant = {
  person: ProviderPerson;
  login: string;
  challenge: string;
  redirectUri: string;
  nonce: string | null;
};

export const providerClient = { id: "parlance-test", secret: "a secret of the provider" };

/**
 * A substitute for GitHub and Google at sign-in: a page where a user enters their name, codes that work
 * once and only with the verifier of their challenge, GitHub's list of addresses, and Google's
 * signed claims.
 */
export async function startIdentityProvider() {
  const people = new Map<string, ProviderPerson>();
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Grant>();
  const state = { isDown: false };
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  let url = "";

  const server = createServer((request, response) => {
    if (state.isDown) return request.socket.destroy();
    respond(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  });

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    const json = (value: unknown, status = 200) =>
      response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));

    switch (pathname) {
      case "/login/oauth/authorize":
      case "/authorize":
        if (!searchParams.has("decision"))
          return void response
            .writeHead(200, { "Content-Type": "text/html" })
            .end(page(searchParams));
        return void response.writeHead(302, { Location: decide(searchParams) }).end();
      case "/login/oauth/access_token":
      case "/token": {
        const grant = redeem(request, new URLSearchParams(await textOf(request)));
        if (!grant) return void json({ error: "invalid_grant" }, 400);
        const token = randomBytes(16).toString("hex");
        tokens.set(token, grant);
        const idToken = pathname === "/token" ? { id_token: signed(grant) } : {};
        return void json({
          access_token: token,
          token_type: "bearer",
          scope: "read:user,user:email",
          ...idToken,
        });
      }
      case "/.well-known/openid-configuration":
        return void json({
          issuer: url,
          authorization_endpoint: `${url}/authorize`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
        });
      case "/jwks":
        return void json({
          keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }],
        });
      case "/api/v3/user":
      case "/api/v3/user/emails": {
        const grant = tokens.get(request.headers.authorization?.replace("Bearer ", "") ?? "");
        if (!grant) return void json({ message: "Bad credentials" }, 401);
        const { id, name, email, isVerified } = grant.person;
        if (pathname === "/api/v3/user") return void json({ id, login: grant.login, name, email });
        const other = { email: `other-${email}`, primary: false, verified: true, visibility: null };
        return void json([
          other,
          { email, primary: true, verified: isVerified, visibility: "private" },
        ]);
      }
      case "/people": {
        const { login, ...person } = JSON.parse(await textOf(request));
        people.set(login, person);
        return void json({});
      }
      default:
        return void json({ message: "Not Found" }, 404);
    }
  }

  /** @returns where the browser goes back to */
  function decide(asked: URLSearchParams): string {
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.searchParams.set("state", asked.get("state") ?? "");
    const login = asked.get("login") ?? "";
    const person = people.get(login);
    if (asked.get("decision") !== "Authorize" || !person) {
      back.searchParams.set("error", "access_denied");
      return back.href;
    }
    const code = randomBytes(16).toString("hex");
    const challenge = asked.get("code_challenge") ?? "";
    grants.set(code, {
      person,
      login,
      challenge,
      redirectUri: asked.get("redirect_uri") ?? "",
      nonce: asked.get("nonce"),
    });
    back.searchParams.set("code", code);
    return back.href;
  }

  function redeem(request: IncomingMessage, sent: URLSearchParams): Grant | null {
    const client = Buffer.from(
      `${encodeURIComponent(providerClient.id)}:${encodeURIComponent(providerClient.secret).replaceAll("%20", "+")}`,
    );
    if (request.headers.authorization !== `Basic ${client.toString("base64")}`) return null;
    const code = sent.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    return grant && grant.challenge === challenge && grant.redirectUri === sent.get("redirect_uri")
      ? grant
      : null;
  }

  function signed({ person, nonce }: Grant): string {
    const now = Math.floor(Date.now() / 1000);
    const { id, name, email, isVerified } = person;
    const claims = {
      iss: url,
      aud: providerClient.id,
      sub: String(id),
      name,
      email,
      email_verified: isVerified,
      nonce,
      iat: now,
      exp: now + 600,
    };
    const content = [{ alg: "RS256", kid: "one" }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    return `${content}.${sign("sha256", Buffer.from(content), privateKey).toString("base64url")}`;
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    state,
    /** For the product, so that it uses this provider for both. */
    environment: {
      GITHUB_URL: url,
      GITHUB_CLIENT_ID: providerClient.id,
      GITHUB_CLIENT_SECRET: providerClient.secret,
      GOOGLE_ISSUER: url,
      GOOGLE_CLIENT_ID: providerClient.id,
      GOOGLE_CLIENT_SECRET: providerClient.secret,
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Adds a user to the provider, or replaces one. */
export async function introduce(
  providerUrl: string,
  login: string,
  person: ProviderPerson,
): Promise<void> {
  await fetch(`${providerUrl}/people`, {
    method: "PUT",
    body: JSON.stringify({ login, ...person }),
  });
}

const escaped = (text: string) =>
  text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);

function page(asked: URLSearchParams): string {
  const kept = [...asked].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return `<!doctype html><title>The provider</title><form>${kept.join("")}
<label>Account <input name="login"></label>
<button name="decision" value="Authorize">Authorize</button><button name="decision" value="Cancel">Cancel</button></form>`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
