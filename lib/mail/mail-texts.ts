import { env } from "@/lib/platform/env";
import { roleNames } from "@/lib/platform/roles";
import { signInMethodNames } from "@/lib/sessions/sign-in-methods";
import type { Environment } from "@/prisma/generated/enums";
import type { AutomaticReason, MailContents, MailKind, MailTenant, Origin } from "./mail-kinds";

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
  "owner-added": "Your organization has a new owner",
  "live-key-created": "Your organization has a new live API key",
  "verify-email": "Confirm your email address",
  "access-suspended": "Review the access to your account",
  "webhook-failing": "A webhook keeps failing",
  "webhook-disabled": "A webhook was disabled",
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
  "owner-added": ({ tenant, ownerName, ownerEmail }) => ({
    paragraphs: [
      `${ownerName} (${ownerEmail}) is now an owner of ${tenant.name}. Owners can do everything, including adding and removing other owners.`,
      "If you did not expect this, check the members and the audit log.",
    ],
    link: { text: "View the members", url: pageOf(tenant, "live", "settings/members") },
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
  "access-suspended": ({ name, organizations }) => ({
    paragraphs: [
      `Hello ${name}, you have just confirmed that this address is yours. Everything that gave access to your account before is suspended: API keys, webhooks, invitations and members.`,
      ...organizations.map(
        (organization) => `${organization.name}: ${organization.count} suspended.`,
      ),
      "Confirm what is yours, and revoke the rest.",
    ],
    link: { text: "Review access", url: `${env().APP_URL}/` },
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
  "api-key-expiring": ({ tenant, environment, keyName, keyHint, expiresAt }) => ({
    paragraphs: [
      `The ${environment} key “${keyName}” (${keyHint}) of ${tenant.name} expires on ${exactTime(expiresAt)}. After that, requests with it get a 401.`,
      "Roll it to get a new key while the old one still works.",
    ],
    link: { text: "Open the API keys", url: pageOf(tenant, environment, "api-keys") },
  }),
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
