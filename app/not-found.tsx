import { connection } from "next/server";
import { MessagePage } from "@/components/shell/message-page";
import { ButtonLink } from "@/components/ui/button";

export const metadata = { title: "Not found" };

export default async function NotFound() {
  // Drawn for each visitor: a page that was built once has no nonce for its scripts.
  await connection();
  return (
    <MessagePage
      title="There is nothing here"
      action={<ButtonLink href="/">Go to the dashboard</ButtonLink>}
    >
      The address may be mistyped, or it belongs to an organization that you are no member of.
    </MessagePage>
  );
}
