import type { Profile } from "next-auth";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { z } from "zod";
import { type Env, env } from "@/lib/platform/env";
import type { Provider } from "@/prisma/generated/enums";

/**
 * Providers that users can sign in with. The id is next-auth's, and is part of the callback URL.
 */
export const providers = {
  GITHUB: { id: "github", name: "GitHub" },
  GOOGLE: { id: "google", name: "Google" },
} as const satisfies Record<Provider, { id: string; name: string }>;

/** What a page needs for a button. */
export type ProviderChoice = (typeof providers)[Provider];

const isConfigured: Record<Provider, (given: Env) => boolean> = {
  GITHUB: ({ GITHUB_CLIENT_ID }) => GITHUB_CLIENT_ID !== undefined,
  GOOGLE: ({ GOOGLE_CLIENT_ID }) => GOOGLE_CLIENT_ID !== undefined,
};

export function configuredProviders(): Provider[] {
  return (Object.keys(providers) as Provider[]).filter((provider) => isConfigured[provider](env()));
}

export const providerChoices = (): ProviderChoice[] =>
  configuredProviders().map((provider) => providers[provider]);

/** For next-auth, whose own profiles would accept an unverified address. */
export const oauthConfigs = () => configuredProviders().map((provider) => configs[provider](env()));

/**
 * The part of a provider account that next-auth passes on. The address is null unless the provider
 * says that it is verified.
 */
type ProviderProfile = { id: string; name: string; email: string | null };

/** Longer than next-auth's default of 3.5 s. */
const timeoutMs = 10_000;

type ProviderConfig = OAuthConfig<ProviderProfile> | OAuthConfig<GoogleClaims>;

const configs: Record<Provider, (given: Env) => ProviderConfig> = {
  GITHUB: ({ GITHUB_URL, GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET }) => ({
    ...providers.GITHUB,
    type: "oauth",
    clientId: GITHUB_CLIENT_ID,
    clientSecret: GITHUB_CLIENT_SECRET,
    issuer: `${GITHUB_URL}/login/oauth`,
    authorization: {
      url: `${GITHUB_URL}/login/oauth/authorize`,
      params: { scope: "read:user user:email" },
    },
    token: `${GITHUB_URL}/login/oauth/access_token`,
    userinfo: {
      request: async ({ tokens }) =>
        (await readGitHubProfile(GITHUB_URL, tokens.access_token)) as Profile,
    },
    checks: ["state", "pkce"],
    httpOptions: { timeout: timeoutMs },
    profile: (profile: ProviderProfile) => profile,
  }),
  GOOGLE: ({ GOOGLE_ISSUER, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET }) => ({
    ...providers.GOOGLE,
    type: "oauth",
    clientId: GOOGLE_CLIENT_ID,
    clientSecret: GOOGLE_CLIENT_SECRET,
    wellKnown: `${GOOGLE_ISSUER}/.well-known/openid-configuration`,
    authorization: { params: { scope: "openid email profile" } },
    idToken: true,
    checks: ["state", "pkce", "nonce"],
    httpOptions: { timeout: timeoutMs },
    profile: ({ sub, name, email, email_verified }: GoogleClaims): ProviderProfile => ({
      id: sub,
      name: name ?? "",
      email: email_verified === true && email ? email : null,
    }),
  }),
};

/** next-auth has verified Google's signature. */
type GoogleClaims = { sub: string; name?: string; email?: string; email_verified?: boolean };

const gitHubUser = z.object({ id: z.int(), login: z.string(), name: z.string().nullish() });
const gitHubEmails = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
);

/** The profile's address on GitHub may be unverified, so the list of addresses is read. */
async function readGitHubProfile(gitHubUrl: string, accessToken = ""): Promise<ProviderProfile> {
  const read = async (path: string) => {
    const response = await fetch(`${gitHubApi(gitHubUrl)}${path}`, {
      headers: {
        Authorization: `Bearer ${accessToken}`,
        Accept: "application/vnd.github+json",
        "User-Agent": "Parlance",
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`GitHub responded to ${path} with ${response.status}`);
    return response.json();
  };
  const [user, emails] = await Promise.all([read("/user"), read("/user/emails")]);
  const { id, login, name } = gitHubUser.parse(user);
  const primary = gitHubEmails.parse(emails).find((address) => address.primary && address.verified);
  return { id: String(id), name: name || login, email: primary?.email ?? null };
}

/**
 * github.com and *.ghe.com have the API on a separate host, a GitHub Enterprise Server below a
 * path.
 */
export function gitHubApi(gitHubUrl: string): string {
  const { protocol, host } = new URL(gitHubUrl);
  return host === "github.com" || host.endsWith(".ghe.com")
    ? `${protocol}//api.${host}`
    : `${gitHubUrl}/api/v3`;
}
