import type {
  DisabledReason,
  Environment,
  Provider,
  Role,
  SignInMethod,
} from "@/prisma/generated/enums";

/** The tenant that a mail to its owners and admins is about. */
export type MailTenant = { slug: string; name: string };

/** The origin of an action on an account, in terms that its owner can recognize. */
export type Origin = { device: string; address: string | null; at: Date };

type ConversationNews = {
  tenant: MailTenant;
  environment: Environment;
  conversationId: string;
  /** The name of a member, or "An API key". */
  actorName: string;
};

export type SecondFactorChange =
  | "passkey added"
  | "passkey removed"
  | "authenticator app added"
  | "authenticator app removed"
  | "recovery codes replaced"
  | "removed by an operator"
  | "removed by a new owner of the address";

/** The contents of each kind of mail. */
export type MailContents = {
  invitation: { organization: string; invitedBy: string; role: Role; url: string; expiresAt: Date };
  "password-reset": { name: string; url: string; expiresAt: Date };
  "account-linked": { name: string; provider: Provider; isPasswordDropped: boolean };
  "new-sign-in": { name: string; method: SignInMethod } & Origin;
  "password-changed": { name: string } & Origin;
  "second-factor-changed": { name: string; change: SecondFactorChange } & Origin;
  /** `url` is null if the address belongs to another account. */
  "confirm-new-email": { url: string | null; expiresAt: Date };
  "email-change-requested": { name: string; newEmail: string } & Origin;
  /** `undoUrl` is for the old address only. */
  "email-changed": { name: string; newEmail: string; undoUrl: string | null } & Origin;
  "email-restored": { name: string; email: string } & Origin;
  "account-deleted": { name: string } & Origin;
  "recovery-code-used": { name: string; remaining: number } & Origin;
  "owner-added": { tenant: MailTenant; ownerName: string; ownerEmail: string };
  "member-removed": {
    name: string;
    organization: string;
    removedBy: { name: string; email: string };
  };
  /** `deletedBy` is null for an operator. */
  "organization-deleted": { tenant: MailTenant; deletedBy: { name: string; email: string } | null };
  "live-key-created": {
    tenant: MailTenant;
    environment: Environment;
    keyName: string;
    keyHint: string;
    createdBy: string;
  };
  "verify-email": { name: string; url: string; expiresAt: Date };
  "access-suspended": {
    name: string;
    /** For an account that was taken back: what is older is not suspended. */
    since: Date | null;
    organizations: { name: string; count: number }[];
  };
  "conversation-assigned": ConversationNews;
  "conversation-mentioned": ConversationNews;
  "webhook-failing": {
    tenant: MailTenant;
    environment: Environment;
    webhookId: string;
    webhookUrl: string;
    consecutiveFailures: number;
    consequence: string;
  };
  "webhook-disabled": {
    tenant: MailTenant;
    environment: Environment;
    webhookId: string;
    webhookUrl: string;
    reason: AutomaticReason;
    consecutiveFailures: number;
  };
  "storage-quota": {
    tenant: MailTenant;
    environment: Environment;
    percent: number;
    storedBytes: number;
    limitBytes: number;
  };
  "api-key-expiring": {
    tenant: MailTenant;
    environment: Environment;
    keyName: string;
    keyHint: string;
    expiresAt: Date;
  };
};

export type AutomaticReason = Exclude<DisabledReason, "MANUAL" | "UNCONFIRMED">;

export type MailKind = keyof MailContents;

/** A mail of any kind with its contents. */
export type Mail = { [Kind in MailKind]: { kind: Kind } & MailContents[Kind] }[MailKind];

/**
 * A mail to a tenant's owners, or to its owners and admins, without the tenant, which is looked up.
 */
export type AdminMail = Mail extends infer One
  ? One extends { tenant: MailTenant }
    ? Omit<One, "tenant">
    : never
  : never;
