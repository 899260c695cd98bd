import { verifyAddress } from "@/lib/access-review/verify-address";
import { type Db, db } from "@/lib/platform/db";
import { isUniqueViolation } from "@/lib/platform/sql-errors";
import { dropSecondFactor, lostToOwner } from "@/lib/second-factor/service";
import {
  type Device,
  renewProof,
  revokeSessions,
  type SignedInUser,
  startSession,
} from "@/lib/sessions/service";
import { email as emailSchema, personInput } from "@/lib/users/schema";
import { AddressReserved, createUser, findUserByEmail } from "@/lib/users/service";
import type { Provider } from "@/prisma/generated/enums";
import type { UserModel } from "@/prisma/generated/models";
import { linkProviderAccount } from "./link-provider-account";
import { sealPendingSignIn } from "./pending-sign-in";
import { configuredProviders } from "./providers";
import { recordRefusedAttempt } from "./refused-attempts";
import { announceSignIn, isUnchanged, recordSignIn, type SignInResult } from "./service";
import { mayCreateAccount } from "./throttle";

/**
 * A user whom a provider has authenticated. `email` is null unless the provider says that it is
 * verified.
 */
export type ProviderUser = {
  provider: Provider;
  accountId: string;
  name: string;
  email: string | null;
};

/** Why the sign-in was refused, as shown in the URL of the sign-in page. */
export type ProviderRefusal =
  | "AccountChanged"
  | "AddressReserved"
  | "EmailUnverified"
  | "OtherAccount"
  | "TooManyAccounts";

export type ProviderSignIn =
  | Extract<SignInResult, { outcome: "signed-in" | "second-step" }>
  | { outcome: "refused"; reason: ProviderRefusal };

/**
 * Signs in the user that the account belongs to. A new account is linked to the user with its
 * address, or to a new user. From then on only its id counts, because addresses change hands.
 * @param current the user already signed in with this browser. For them, this is a fresh proof; no
 * other user may sign in instead.
 */
export async function signInWithProvider(
  providerUser: ProviderUser,
  device: Device,
  current: SignedInUser | null,
): Promise<ProviderSignIn> {
  const parsed = emailSchema.safeParse(providerUser.email);
  const person = { ...providerUser, email: parsed.success ? parsed.data : null };
  try {
    return await enter(person, device, current);
  } catch (error) {
    // If the same person sends two concurrent requests, the second one finds what the first one
    // created.
    if (isUniqueViolation(error)) return enter(person, device, current);
    if (error instanceof AddressReserved) return refused("AddressReserved");
    throw error;
  }
}

const refused = (reason: ProviderRefusal): ProviderSignIn => ({ outcome: "refused", reason });

async function enter(
  providerUser: ProviderUser,
  device: Device,
  current: SignedInUser | null,
): Promise<ProviderSignIn> {
  const { provider, accountId, email } = providerUser;
  const key = { provider_accountId: { provider, accountId } };
  const linked = await db().providerAccount.findUnique({ where: key, include: { user: true } });
  if (!linked && !email) return refused("EmailUnverified");

  const known = linked?.user ?? (await findUserByEmail(db(), email ?? ""));
  if (current && current.id !== known?.id) {
    recordRefusedAttempt({
      what: "confirmation",
      outcome: "failed",
      email: current.email,
      source: { ...device, sessionId: current.sessionId },
    });
    return refused("OtherAccount");
  }
  if (!known && !(await mayCreateAccount(device.address))) {
    recordRefusedAttempt({ what: "sign-up", outcome: "throttled", email: null, source: device });
    return refused("TooManyAccounts");
  }

  return db().$transaction(async (transaction) => {
    if (known && !(await isUnchanged(transaction, known))) return refused("AccountChanged");
    // Before the second step, an account at a provider proves nothing and is not linked. An
    // unconfirmed address is different: it belongs to the provider's user, and not to the person
    // who added the second factor.
    if (!linked && known?.secondFactorAt && known.emailVerifiedAt) {
      if (current) return { outcome: "signed-in", sessionId: current.sessionId };
      const toLink = { provider, accountId, email: email ?? "" };
      return { outcome: "second-step", pending: await sealPendingSignIn(known, provider, toLink) };
    }
    const userId =
      known && linked
        ? known.id
        : await link(transaction, { ...providerUser, email: email ?? "" }, known, device);
    await transaction.providerAccount.update({ where: key, data: { lastUsedAt: new Date() } });
    // A user with a second factor must use that one as a proof.
    if (current && (current.hasSecondFactor || (await renewProof(transaction, current.sessionId))))
      return { outcome: "signed-in", sessionId: current.sessionId };
    const user = await transaction.user.findUniqueOrThrow({ where: { id: userId } });
    if (user.secondFactorAt)
      return { outcome: "second-step", pending: await sealPendingSignIn(user, provider) };

    const session = await startSession(transaction, userId, device, { method: provider });
    await recordSignIn(transaction, session, device);
    // A new account has no one to warn, and the owner of a newly linked one already gets a mail
    // about that.
    if (linked) await announceSignIn(transaction, linked.user, session, device);
    return { outcome: "signed-in", sessionId: session.id };
  });
}

/**
 * @param known the user with the address, locked
 * @returns the user that the account now belongs to
 */
async function link(
  transaction: Db,
  { provider, accountId, name, email }: ProviderUser & { email: string },
  known: UserModel | null,
  device: Device,
): Promise<string> {
  const at = new Date();
  const account = { provider, accountId, email };
  if (!known) {
    const named = personInput.safeParse({ name: name.slice(0, 100) });
    const { id: userId } = await createUser(transaction, {
      name: named.success ? named.data.name : nameFromEmail(email),
      email,
      passwordHash: null,
      emailVerifiedAt: at,
    });
    const times = { linkedAt: at, lastUsedAt: at };
    await transaction.providerAccount.create({ data: { ...account, userId, ...times } });
    return userId;
  }
  const isPasswordDropped = !known.emailVerifiedAt && known.passwordHash !== null;
  if (await verifyAddress(transaction, known.id, { at, address: device.address }))
    await takeFromStrangers(transaction, known, { at, device });
  await linkProviderAccount(transaction, known, account, device, isPasswordDropped);
  return known.id;
}

/** The part before the @, as words: a name must not look like an address. */
const nameFromEmail = (email: string) =>
  email
    .slice(0, email.lastIndexOf("@"))
    .replace(/[._+-]+/g, " ")
    .trim() || "New user";

/**
 * Anyone could have signed up with this address first. Once its owner signs in, this removes what
 * existed before: the second factor, the password, password links and sessions. `verifyAddress`
 * suspends what was created in the account.
 */
async function takeFromStrangers(
  transaction: Db,
  user: UserModel,
  { at, device }: { at: Date; device: Device },
): Promise<void> {
  await dropSecondFactor(transaction, user.id, { device, at, change: lostToOwner });
  await transaction.user.update({ where: { id: user.id }, data: { passwordHash: null } });
  await transaction.passwordReset.updateMany({
    where: { userId: user.id, usedAt: null },
    data: { usedAt: at },
  });
  await revokeSessions(transaction, user.id, at);
}

/** The configured providers that a user can sign in with. */
export async function linkedProviders(userId: string): Promise<Provider[]> {
  const configured = configuredProviders();
  if (configured.length === 0) return [];
  const accounts = await listProviderAccounts(db(), userId);
  return configured.filter((provider) => accounts.some((account) => account.provider === provider));
}

/** The provider accounts of a user, in the order in which they were linked. */
export function listProviderAccounts(transaction: Db, userId: string) {
  return transaction.providerAccount.findMany({
    where: { userId },
    orderBy: [{ linkedAt: "asc" }, { accountId: "asc" }],
    select: { provider: true, accountId: true, email: true, linkedAt: true, lastUsedAt: true },
  });
}
