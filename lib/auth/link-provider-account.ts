import { queueMail } from "@/lib/mail/service";
import type { Db } from "@/lib/platform/db";
import type { Device } from "@/lib/sessions/service";
import { recordAuditOfUser } from "@/lib/users/service";
import type { UserModel } from "@/prisma/generated/models";
import type { ProviderLink } from "./pending-sign-in";

/**
 * Links an account at a provider to an existing user, with an audit entry and a mail. Does nothing
 * if it is already linked, to anyone.
 * @param isPasswordDropped whether the password was removed, because a stranger may have set it
 */
export async function linkProviderAccount(
  transaction: Db,
  user: Pick<UserModel, "id" | "name" | "email">,
  link: ProviderLink,
  { address }: Device,
  isPasswordDropped = false,
): Promise<void> {
  const { provider, email } = link;
  const at = new Date();
  const { count } = await transaction.providerAccount.createMany({
    data: [{ ...link, userId: user.id, linkedAt: at, lastUsedAt: at }],
    skipDuplicates: true,
  });
  if (count === 0) return;
  await recordAuditOfUser(transaction, user.id, address, {
    action: "user.account_linked",
    changes: {
      ...(isPasswordDropped && { before: { hasPassword: true } }),
      after: { provider, email, ...(isPasswordDropped && { hasPassword: false }) },
    },
  });
  const about = { name: user.name, provider, isPasswordDropped };
  await queueMail(transaction, email, { kind: "account-linked", ...about });
}
