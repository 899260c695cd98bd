import { redirect } from "next/navigation";
import { requireUser } from "@/lib/auth/require-user";

/** Redirects each user to their own first page. */
export default async function HomePage() {
  const user = await requireUser();
  const first = user.memberships[0];
  redirect(first ? `/${first.tenant.slug}/test` : "/welcome");
}
