import type { Account, NextAuthOptions, User } from "next-auth";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { type Device, findLiveSession, sessionLifetimeSeconds } from "@/lib/sessions/service";
import { signInWithProvider } from "./provider-sign-in";
import { configuredProviders, oauthConfigs, providers } from "./providers";
import { currentUser } from "./require-user";
import { returnPath } from "./return-path";
import { signIn, signOut } from "./service";
import { rememberDevice, writePendingSignIn } from "./session-cookie";

const log = logOf("auth");

/** Here, next-auth's "user" is the session that was just started. */
type StartedSession = User & { sessionId?: string };

/**
 * next-auth encrypts and decrypts the cookie and protects its own forms. The token contains only a
 * session id and no claims, so even `trigger: "update"` can change nothing.
 */
export function nextAuthOptions(device: Device): NextAuthOptions {
  return {
    secret: env().NEXTAUTH_SECRET,
    session: { strategy: "jwt", maxAge: sessionLifetimeSeconds },
    pages: { signIn: "/login", error: "/login", signOut: "/" },
    providers: [
      {
        id: "credentials",
        type: "credentials",
        name: "Email and password",
        credentials: {
          email: { label: "Email", type: "email" },
          password: { label: "Password", type: "password" },
        },
        async authorize(credentials): Promise<StartedSession | null> {
          const result = await signIn(credentials, device);
          if (result.outcome === "throttled") throw new Error("TooManyAttempts");
          if (result.outcome === "second-step") {
            await writePendingSignIn(result.pending);
            throw new Error("SecondFactor");
          }
          if (result.outcome !== "signed-in") return null;
          await rememberDevice(result.sessionId);
          return { id: result.sessionId, sessionId: result.sessionId };
        },
      },
      ...oauthConfigs(),
    ],
    callbacks: {
      signIn: async ({ user, account }) =>
        account?.type === "oauth" ? admit(user, account, device) : true,
      jwt: async ({ token, user }) => ({
        sessionId: (user as StartedSession | undefined)?.sessionId ?? token.sessionId,
      }),
      async session({ token }) {
        const user =
          typeof token.sessionId === "string" ? await findLiveSession(token.sessionId) : null;
        // Makes next-auth respond that no one is signed in, and delete the cookie.
        if (!user) throw new Error("The session was revoked or has expired.");
        return {
          user: { name: user.name, email: user.email },
          expires: user.expiresAt.toISOString(),
        };
      },
      redirect: async ({ url, baseUrl }) => new URL(returnPath(url), baseUrl).href,
    },
    events: {
      async signOut({ token }) {
        const user =
          typeof token?.sessionId === "string" ? await findLiveSession(token.sessionId) : null;
        if (user) await signOut(user, device);
      },
    },
    logger: {
      error: (code, metadata) =>
        log.warn({ code, reason: reasonOf(metadata) }, "next-auth refused a request"),
      warn: () => {},
      debug: () => {},
    },
  };
}

/**
 * Handles a user who returns from GitHub or Google. next-auth passes on what is set on its user to
 * `jwt`. It shows the message of any error thrown here in a URL, so nothing is thrown.
 * @returns true, or the page to redirect to
 */
async function admit(
  user: StartedSession,
  account: Account,
  device: Device,
): Promise<true | string> {
  const provider = configuredProviders().find(
    (candidate) => providers[candidate].id === account.provider,
  );
  if (!provider) return signInPage("Default");
  try {
    const arrival = {
      provider,
      accountId: account.providerAccountId,
      name: user.name ?? "",
      email: user.email ?? null,
    };
    const result = await signInWithProvider(arrival, device, await currentUser());
    if (result.outcome === "refused") return signInPage(result.reason);
    if (result.outcome === "second-step") {
      await writePendingSignIn(result.pending);
      return signInPage("SecondFactor");
    }
    user.sessionId = result.sessionId;
    await rememberDevice(result.sessionId);
    return true;
  } catch (error) {
    log.error(
      { error: error instanceof Error ? error.message : String(error) },
      "a provider sign-in failed",
    );
    return signInPage("Default");
  }
}

/** Through next-auth, which remembers where the user wanted to go. */
export const signInPage = (error: string) => `/api/auth/signin?error=${error}`;

/**
 * The explanation of a failure by openid-client or the provider, for example that the client secret
 * is wrong.
 */
function reasonOf(metadata: unknown): string | undefined {
  const error =
    metadata instanceof Error ? metadata : (metadata as { error?: unknown } | null)?.error;
  return error instanceof Error ? error.message : undefined;
}
