"use client";

import { SubmitButton } from "@/components/ui/submit-button";
import type { ProviderChoice } from "@/lib/auth/providers";
import { ProviderLogo } from "./provider-logo";
import { startProviderSignIn } from "./start-provider-sign-in";

/** Shown above a password form. Renders nothing if no provider is configured. */
export function ProviderButtons({
  providers,
  callbackUrl,
}: {
  providers: ProviderChoice[];
  callbackUrl: string;
}) {
  if (providers.length === 0) return null;
  return (
    <div className="space-y-3">
      {providers.map((provider) => (
        <form key={provider.id} action={() => leaveFor(provider, callbackUrl)}>
          <SubmitButton
            variant="secondary"
            pending={`Going to ${provider.name}…`}
            className="w-full"
          >
            <ProviderLogo id={provider.id} />
            {`Continue with ${provider.name}`}
          </SubmitButton>
        </form>
      ))}
      <p className="flex items-center gap-3 text-muted text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
    </div>
  );
}

async function leaveFor(provider: ProviderChoice, callbackUrl: string): Promise<void> {
  window.location.assign(await startProviderSignIn(provider, callbackUrl));
  // Stays pending while the browser leaves the page, so that the button is not pressed twice.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
}
