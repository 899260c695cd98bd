import type { ProviderChoice } from "@/lib/auth/providers";

/** The sign-in page with an error message, from where the user continues. */
const failed = (callbackUrl: string) =>
  `/login?error=OAuthSignin&callbackUrl=${encodeURIComponent(callbackUrl)}`;

/**
 * Starts a provider sign-in with next-auth's JSON endpoint. A plain form would require the
 * provider, and every site it redirects to, in the `form-action` of our content security policy.
 * @param isAgain makes the provider ask for the account, even if it knows the user
 * @returns the URL to open: the provider's, or our sign-in page with an error
 */
export async function startProviderSignIn(
  { id }: ProviderChoice,
  callbackUrl: string,
  { isAgain = false } = {},
): Promise<string> {
  try {
    const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
    const response = await fetch(
      `/api/auth/signin/${id}${isAgain ? "?prompt=select_account" : ""}`,
      {
        method: "POST",
        body: new URLSearchParams({ csrfToken, callbackUrl, json: "true" }),
      },
    );
    return (await response.json()).url ?? failed(callbackUrl);
  } catch {
    return failed(callbackUrl);
  }
}
