import { redirect } from "next/navigation";
import { requireUser } from "@/lib/auth/require-user";

/** Nobody's page: everybody is led to their own. */
export default async function HomePage() {
  const user = await requireUser();
  const first = user.memberships[0];
  redirect(first ? `/${first.tenant.slug}/test` : "/welcome");
}
