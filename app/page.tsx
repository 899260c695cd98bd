import { redirect } from "next/navigation";
import { MessagePage } from "@/components/shell/message-page";
import { SubmitButton } from "@/components/ui/submit-button";
import { requireUser } from "@/lib/auth/require-user";
import { signOutAction } from "./(auth)/actions";

export default async function HomePage() {
  const user = await requireUser();
  const first = user.memberships[0];
  if (first) redirect(`/${first.tenant.slug}/test`);

  return (
    <MessagePage
      title="You are in no organisation"
      action={
        <form action={signOutAction}>
          <SubmitButton pending="Signing out…">Sign out</SubmitButton>
        </form>
      }
    >
      Ask an owner or admin of yours to add {user.email}.
    </MessagePage>
  );
}
