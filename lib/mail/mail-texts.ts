import { decimalSize } from "@/lib/platform/byte-size";
import { env } from "@/lib/platform/env";
import { roleNames } from "@/lib/platform/roles";
import { signInMethodNames } from "@/lib/sessions/sign-in-methods";
import type { Environment } from "@/prisma/generated/enums";
import type {
  AutomaticReason,
  MailContents,
  MailKind,
  MailTenant,
  Origin,
  SecondFactorChange,
} from "./mail-kinds";

// The text of every mail. Times are in UTC.

export type Message = { paragraphs: string[]; link?: { text: string; url: string } };

/**
 * The subjects are constants. A subject with text chosen by a user would send that text to anyone
 * they invite.
 */
export const subjects: Record<MailKind, string> = {
  invitation: "You are invited to an organization on Parlance",
  "password-reset": "Set a new password",
  "account-linked": "A new way to sign in to your Parlance account",
  "new-sign-in": "New sign-in to your Parlance account",
  "password-changed": "Your Parlance password was changed",
  "second-factor-changed": "The second factor of your Parlance account changed",
  "confirm-new-email": "Confirm your new email address",
  "email-change-requested": "A new email address for your Parlance account",
  "email-changed": "The email address of your Parlance account was changed",
  "email-restored": "The email address of your Parlance account was restored",
  "account-deleted": "Your Parlance account was deleted",
  "recovery-code-used": "A recovery code of your Parlance account was used",
  "owner-added": "Your organization has a new owner",
  "member-removed": "You were removed from an organization on Parlance",
  "organization-deleted": "Your organization was deleted",
  "live-key-created": "Your organization has a new live API key",
  "verify-email": "Confirm your email address",
  "access-suspended": "Review the access to your account",
  "conversation-assigned": "A conversation was assigned to you",
  "conversation-mentioned": "You were mentioned in a conversation",
  "webhook-failing": "A webhook keeps failing",
  "webhook-disabled": "A webhook was disabled",
  "storage-quota": "Your storage quota is almost or completely used",
  "api-key-expiring": "An API key expires soon",
};

export const messages: { [Kind in MailKind]: (contents: MailContents[Kind]) => Message } = {
  invitation: ({ organization, invitedBy, role, url, expiresAt }) => ({
    paragraphs: [
      `${invitedBy} invited you to join ${organization} on Parlance as ${roleNames[role]}.`,
      `The link works once, until ${exactTime(expiresAt)}. If you did not expect an invitation, ignore this mail: no account is created.`,
    ],
    link: { text: "Accept the invitation", url },
  }),
  "password-reset": ({ name, url, expiresAt }) => ({
    paragraphs: [
      `Hello ${name}, someone requested a new password for your Parlance account.`,
      `The link works once, until ${exactTime(expiresAt)}. If it was not you, ignore this mail: your password stays the same.`,
    ],
    link: { text: "Set a new password", url },
  }),
  "account-linked": ({ name, provider, isPasswordDropped }) => ({
    paragraphs: [
      `Hello ${name}, a ${signInMethodNames[provider]} account with this address was used to sign in to your Parlance account. The two are now linked.`,
      ...(isPasswordDropped
        ? [
            "The person who chose the password of your account never confirmed this address. The password is therefore no longer valid, and every session was ended. You can set a new password.",
          ]
        : []),
      `If it was not you, someone else can use your ${signInMethodNames[provider]} account: secure that account first.`,
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "new-sign-in": ({ name, method, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, someone signed in to your Parlance account from a new browser.`,
      `Method: ${signInMethodNames[method]}. ${originSentence(origin)}`,
      "If this was you, you can ignore this mail. If it was not, set a new password: it ends every session.",
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "password-changed": ({ name, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, the password of your Parlance account was changed, and every other session was ended.`,
      originSentence(origin),
      "If this was you, you can ignore this mail. If it was not, set a new password now.",
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "second-factor-changed": ({ name, change, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, ${changeSentences[change]}`,
      originSentence(origin),
      "If this was you, you can ignore this mail. If it was not, set a new password: it ends every session. Then check your passkeys and your authenticator app in your profile.",
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "confirm-new-email": ({ url, expiresAt }) =>
    url === null
      ? {
          paragraphs: [
            "Someone tried to make this address the address of their Parlance account. It already belongs to your account, or did until a few days ago, so nothing changed.",
            "If it was you, sign in with this address instead. If not, you can ignore this mail.",
          ],
        }
      : {
          paragraphs: [
            "Someone requested this address for their Parlance account. If it was you, open the link in the browser you are signed in with.",
            `The link works once, until ${exactTime(expiresAt)}. If it was not you, ignore this mail: nothing changes.`,
          ],
          link: { text: "Confirm the new address", url },
        },
  "email-change-requested": ({ name, newEmail, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, someone signed in to your Parlance account requested ${newEmail} as its new email address. Nothing changes until that address is confirmed.`,
      originSentence(origin),
      "If this was you, you can ignore this mail. If it was not, set a new password: it ends every session.",
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "email-changed": ({ name, newEmail, undoUrl, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, the email address of your Parlance account is now ${newEmail}. Every other session was ended.`,
      originSentence(origin),
      ...(undoUrl
        ? [
            "If this was you, you can ignore this mail. If it was not, reverse the change. The link works for seven days. It ends every session and removes the password, and you set a new one.",
          ]
        : []),
    ],
    ...(undoUrl && { link: { text: "Reverse the change", url: undoUrl } }),
  }),
  "email-restored": ({ name, email, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, the change of the email address of your Parlance account was reversed. The address is ${email} again. Every session was ended, and the password is no longer valid.`,
      originSentence(origin),
      `Set a new password with a link to ${email}.`,
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "account-deleted": ({ name, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, your Parlance account was deleted. You no longer have access to any organization.`,
      originSentence(origin),
      "If this was not you, tell the owners of your organizations. An account cannot be restored; an owner can invite you again.",
    ],
  }),
  "recovery-code-used": ({ name, remaining, ...origin }) => ({
    paragraphs: [
      `Hello ${name}, a recovery code of your Parlance account was used instead of a passkey or a code from your authenticator app.`,
      originSentence(origin),
      remaining === 0
        ? "It was your last one. Create new codes in your profile."
        : `You have ${remaining} left.`,
      "If it was not you, set a new password: it ends every session. Then create new recovery codes.",
    ],
    link: { text: "Set a new password", url: `${env().APP_URL}/password` },
  }),
  "owner-added": ({ tenant, ownerName, ownerEmail }) => ({
    paragraphs: [
      `${ownerName} (${ownerEmail}) is now an owner of ${tenant.name}. Owners can do everything, including adding and removing other owners.`,
      "If you did not expect this, check the members and the audit log.",
    ],
    link: { text: "View the members", url: pageOf(tenant, "live", "settings/members") },
  }),
  "member-removed": ({ name, organization, removedBy }) => ({
    paragraphs: [
      `Hello ${name}, ${removedBy.name} (${removedBy.email}) removed you from ${organization}. You no longer have access to it, and you were signed out on every device.`,
      "Your own account stays, and so does your access to other organizations. If you did not expect this, contact the person who removed you.",
    ],
  }),
  "organization-deleted": ({ tenant, deletedBy }) => ({
    paragraphs: [
      `${deletedBy ? `${deletedBy.name} (${deletedBy.email})` : "The operator of this Parlance installation"} deleted the organization ${tenant.name}. Its API keys no longer work, nothing more is sent to its webhooks, and all of its data is being deleted. This cannot be undone.`,
      "Your own account stays. If you did not expect this, contact the person who deleted it.",
    ],
  }),
  "live-key-created": ({ tenant, environment, keyName, keyHint, createdBy }) => ({
    paragraphs: [
      `${createdBy} created the live key “${keyName}” (${keyHint}) in ${tenant.name}. It reads or changes real data, as far as its scopes allow.`,
      "If you did not expect this, revoke the key.",
    ],
    link: { text: "View the API keys", url: pageOf(tenant, environment, "api-keys") },
  }),
  "verify-email": ({ name, url, expiresAt }) => ({
    paragraphs: [
      `Hello ${name}, open the link in the browser you are signed in with to confirm that this address is yours.`,
      `The link works until ${exactTime(expiresAt)}. If you did not sign up for Parlance, ignore this mail: without the link, the account can neither invite anyone nor use live keys.`,
    ],
    link: { text: "Confirm email address", url },
  }),
  "access-suspended": ({ name, since, organizations }) => ({
    paragraphs: [
      since
        ? `Hello ${name}, you have just taken your account back. What was added or changed with it since ${exactTime(since)} and gives access is suspended: API keys, webhooks, alerts, invitations and members.`
        : `Hello ${name}, you have just confirmed that this address is yours. Everything that gave access to your account before is suspended: API keys, webhooks, alerts, invitations and members.`,
      ...organizations.map(
        (organization) => `${organization.name}: ${organization.count} suspended.`,
      ),
      "Confirm what is yours, and revoke the rest. Where you are not an owner or admin, ask one to do it.",
    ],
    link: { text: "Review access", url: `${env().APP_URL}/` },
  }),
  "conversation-assigned": (news) => ({
    paragraphs: [
      `${news.actorName} assigned you a conversation in ${news.tenant.name} (${news.environment}).`,
      moreNews,
    ],
    link: linkTo(news),
  }),
  "conversation-mentioned": (news) => ({
    paragraphs: [
      `${news.actorName} mentioned you in a conversation in ${news.tenant.name} (${news.environment}).`,
      moreNews,
    ],
    link: linkTo(news),
  }),
  "webhook-failing": ({
    tenant,
    environment,
    webhookId,
    webhookUrl,
    consecutiveFailures,
    consequence,
  }) => ({
    paragraphs: [
      `The last ${consecutiveFailures} deliveries of a ${environment} webhook of ${tenant.name} to ${webhookUrl} failed.`,
      consequence,
    ],
    link: {
      text: "View the receiver's responses",
      url: pageOf(tenant, environment, `webhooks/${webhookId}`),
    },
  }),
  "webhook-disabled": ({
    tenant,
    environment,
    webhookId,
    webhookUrl,
    reason,
    consecutiveFailures,
  }) => ({
    paragraphs: [
      `${disablingSentences[reason](webhookUrl, consecutiveFailures)} It is a ${environment} webhook of ${tenant.name}.`,
      "New events are held for 30 days. Enable the webhook when its receiver works again, and choose whether to send the held events.",
    ],
    link: { text: "Open the webhook", url: pageOf(tenant, environment, `webhooks/${webhookId}`) },
  }),
  "storage-quota": ({ tenant, environment, percent, storedBytes, limitBytes }) => ({
    paragraphs: [
      percent < 100
        ? `The ${environment} environment of ${tenant.name} stores ${decimalSize(storedBytes)} of documents and files. That is ${percent}% or more of its quota of ${decimalSize(limitBytes)}.`
        : `The ${environment} environment of ${tenant.name} has used up its storage quota: it stores ${decimalSize(storedBytes)} of ${decimalSize(limitBytes)}.`,
      percent < 100
        ? "When the quota is used up, uploads are rejected. Delete documents or conversations that you no longer need, or upgrade your plan."
        : "Uploads that do not fit are rejected. Delete documents or conversations that you no longer need, or upgrade your plan.",
    ],
    link: { text: "View the usage", url: pageOf(tenant, environment, "usage") },
  }),
  "api-key-expiring": ({ tenant, environment, keyName, keyHint, expiresAt }) => ({
    paragraphs: [
      `The ${environment} key “${keyName}” (${keyHint}) of ${tenant.name} expires on ${exactTime(expiresAt)}. After that, requests with it get a 401.`,
      "Rotate it to get a new key while the old one still works.",
    ],
    link: { text: "Open the API keys", url: pageOf(tenant, environment, "api-keys") },
  }),
};

const moreNews =
  "You get at most one of these mails in ten minutes. The dashboard lists all of your notifications, and lets you choose which ones you get.";
const linkTo = ({
  tenant,
  environment,
  conversationId,
}: MailContents["conversation-assigned"]) => ({
  text: "Open the conversation",
  url: pageOf(tenant, environment, `conversations/${conversationId}`),
});

const changeSentences: Record<SecondFactorChange, string> = {
  "passkey added": "a passkey was added to your Parlance account.",
  "passkey removed": "a passkey was removed from your Parlance account.",
  "authenticator app added": "an authenticator app was added to your Parlance account.",
  "authenticator app removed": "the authenticator app was removed from your Parlance account.",
  "recovery codes replaced":
    "the recovery codes of your Parlance account were replaced. The earlier ones no longer work.",
  "removed by an operator":
    "an operator removed every passkey, the authenticator app and the recovery codes of your Parlance account.",
  "removed by a new owner of the address":
    "you have just proved that this address is yours. Passkeys, authenticator app and recovery codes that were added to the account earlier were removed.",
};

const originSentence = ({ device, address, at }: Origin) =>
  `Device: ${device}. Address: ${address ?? "unknown"}. Time: ${exactTime(at)}.`;

const disablingSentences: Record<AutomaticReason, (url: string, failures: number) => string> = {
  CONSECUTIVE_FAILURES: (url, failures) =>
    `The webhook to ${url} was disabled because ${failures} deliveries in a row failed.`,
  GONE: (url) => `The webhook to ${url} was disabled because its receiver responded with 410 Gone.`,
};

const exactTime = (at: Date) => `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
const pageOf = ({ slug }: MailTenant, environment: Environment, page: string) =>
  `${env().APP_URL}/${slug}/${environment}/${page}`;
