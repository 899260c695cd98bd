import { connection } from "next/server";
import { MessagePage } from "@/components/shell/message-page";
import { ButtonLink } from "@/components/ui/button";

export const metadata = { title: "Not found" };

export default async function NotFound() {
  // Rendered for each request: a page rendered at build time has no nonce for its scripts.
  await connection();
  return (
    <MessagePage
      title="Page not found"
      action={<ButtonLink href="/">Go to the dashboard</ButtonLink>}
    >
      Check the URL. The page may also belong to an organization that you’re not a member of.
    </MessagePage>
  );
}
