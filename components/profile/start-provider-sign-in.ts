import type { ProviderChoice } from "@/lib/auth/providers";

/** Where to come back to with what is to be said there. */
const failed = (callbackUrl: string) =>
  `/login?error=OAuthSignin&callbackUrl=${encodeURIComponent(callbackUrl)}`;

/**
 * next-auth's way in for scripts. As a form, which it could be as well, it would take the provider
 * and whomever that one sends people on to into the `form-action` of our content security policy.
 * @param isAgain has people choose who they are, though the provider may know
 * @returns the address to go to: the provider's, or one of ours that says what is wrong
 */
export async function startProviderSignIn(
  { id }: ProviderChoice,
  callbackUrl: string,
  { isAgain = false } = {},
): Promise<string> {
  try {
    const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
    const answer = await fetch(`/api/auth/signin/${id}${isAgain ? "?prompt=select_account" : ""}`, {
      method: "POST",
      body: new URLSearchParams({ csrfToken, callbackUrl, json: "true" }),
    });
    return (await answer.json()).url ?? failed(callbackUrl);
  } catch {
    return failed(callbackUrl);
  }
}
