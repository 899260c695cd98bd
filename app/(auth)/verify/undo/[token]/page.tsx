import { ButtonLink } from "@/components/ui/button";
import { findReversibleChange, otherInstallationsOf, undoDays } from "@/lib/auth/email-change";
import { Frame } from "../../../frame";
import { LinkForm } from "../../../link-form";
import { undoEmailChangeAction } from "../../actions";

// The URL of this page is a secret, so it is not sent to any other page.
export const metadata = { title: "Reverse the change of your address", referrer: "no-referrer" };

export default async function UndoChangePage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const [change, origins] = await Promise.all([
    findReversibleChange(token),
    otherInstallationsOf(token),
  ]);
  const others = origins.map((origin) => (
    <span key={origin} className="mt-3 block">
      You also have an account at {origin}, because an organization was moved there. Reverse the
      change there, too:{" "}
      <a
        href={`${origin}/verify/undo/${encodeURIComponent(token)}`}
        target="_blank"
        rel="noreferrer"
        className="wrap-anywhere font-medium text-accent underline underline-offset-2"
      >
        open this link at {new URL(origin).host}
      </a>
      .
    </span>
  ));
  if (!change)
    return (
      <Frame
        title="This link is no longer valid"
        action={<ButtonLink href="/login">Go to sign-in</ButtonLink>}
      >
        It was already used, or it expired after {undoDays} days.
        {others}
      </Frame>
    );
  return (
    <Frame
      title="Reverse the change of your address?"
      action={
        <LinkForm
          send={undoEmailChangeAction.bind(null, token)}
          label="Reverse the change"
          pending="Reversing…"
        />
      }
    >
      The address of your account becomes {change.from} again. Every session ends. The password is
      removed, and so are passkeys, authenticator apps and linked accounts that were added in the
      week before the change or since. You then set a new password with a link to that address.
      {others}
    </Frame>
  );
}
