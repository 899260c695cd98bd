import { ButtonLink } from "@/components/ui/button";
import type { Access } from "@/lib/access-review/suspend-access";
import { accessBeforeVerification, findEmailVerification } from "@/lib/auth/email-verification";
import { currentUser } from "@/lib/auth/require-user";
import { Frame } from "../../frame";
import { LinkForm } from "../../link-form";
import { confirmEmailAction } from "../actions";

// The URL of this page is a secret, so it is not sent to any other page.
export const metadata = { title: "Confirm your email address", referrer: "no-referrer" };

export default async function VerifyAddressPage({
  params,
}: {
  params: Promise<{ token: string }>;
}) {
  const { token } = await params;
  const [found, user] = await Promise.all([findEmailVerification(token), currentUser()]);
  if (!found) {
    return (
      <Frame
        title="This link is no longer valid"
        action={<ButtonLink href="/">Go to the dashboard</ButtonLink>}
      >
        It was already used, it expired after 24 hours, or a newer link was sent. Request a new one
        in the dashboard.
      </Frame>
    );
  }
  const title = "Confirm your email address";
  if (user?.id !== found.userId) {
    return (
      <Frame
        title={title}
        action={
          <ButtonLink
            href={`/login?callbackUrl=${encodeURIComponent(`/verify/${token}`)}`}
            className="w-full"
          >
            Sign in to confirm
          </ButtonLink>
        }
      >
        Sign in as {found.email} first. If you did not sign up with this address, someone else did.
        Ignore the email, or set a new password to take over the account, which suspends all access
        they added.
      </Frame>
    );
  }
  const made = await accessBeforeVerification(user);
  return (
    <Frame
      title={title}
      action={
        <div className="space-y-3">
          <LinkForm
            send={confirmEmailAction.bind(null, token, "everything")}
            label={made.length > 0 ? "Confirm address and keep everything" : "Confirm address"}
            pending="Confirming…"
          />
          {made.length > 0 ? (
            <LinkForm
              send={confirmEmailAction.bind(null, token, "nothing")}
              label="Confirm address and review access"
              pending="Confirming…"
              variant="secondary"
            />
          ) : null}
        </div>
      }
    >
      Confirm that {found.email} is yours.
      {made.map(({ organization, access }) => (
        <span
          key={organization}
          className="mt-3 block rounded-lg border border-line bg-surface px-3 py-2.5 text-ink"
        >
          <strong className="block break-words font-medium">{organization}</strong>
          {inWords(access)}
        </span>
      ))}
      {made.length > 0 ? (
        <span className="mt-3 block">
          This access was added before the address was confirmed. Keep it only if you recognize all
          of it; otherwise, review it.
        </span>
      ) : null}
    </Frame>
  );
}

const nouns: Record<keyof Access, [one: string, many: string]> = {
  apiKeys: ["API key", "API keys"],
  webhooks: ["webhook", "webhooks"],
  alertTargets: ["alert destination", "alert destinations"],
  invitations: ["open invitation", "open invitations"],
  members: ["member", "members"],
};

function inWords(access: Access): string {
  const parts = (Object.keys(nouns) as (keyof Access)[]).flatMap((kind) => {
    const count = access[kind].length;
    return count === 0 ? [] : [`${count} ${nouns[kind][count === 1 ? 0 : 1]}`];
  });
  return parts.join(", ");
}
