import type { Role } from "@/prisma/generated/enums";
import type { Identity } from "./caller";

/** Each role may do everything that the roles after it may. */
const rank: Record<Role, number> = { OWNER: 3, ADMIN: 2, MEMBER: 1, VIEWER: 0 };

export const roleNames: Record<Role, string> = {
  OWNER: "Owner",
  ADMIN: "Admin",
  MEMBER: "Member",
  VIEWER: "Viewer",
};

/** What each role is for, as shown when a role is chosen. */
export const roleDescriptions: Record<Role, string> = {
  OWNER: "Everything, including other owners and admins.",
  ADMIN:
    "Everything that members can do, and API keys, webhooks, members, settings and the audit log.",
  MEMBER: "Works with conversations, customers, agents and knowledge.",
  VIEWER: "Can view everything that members can, but change nothing.",
};

/** The start of a sentence about actions that require at least this role. */
const holdersOf: Record<Role, string> = {
  OWNER: "Only owners",
  ADMIN: "Only owners and admins",
  MEMBER: "Only owners, admins and members",
  VIEWER: "Only members of the organization",
};

export function hasRole(role: Role, minimum: Role): boolean {
  return rank[role] >= rank[minimum];
}

/** Users can grant roles up to their own. */
export const mayGrant = (own: Role, given: Role): boolean => rank[given] <= rank[own];

/** Owners can change and remove anyone; others only members below them. */
export const mayChange = (own: Role, other: Role): boolean =>
  own === "OWNER" || rank[other] < rank[own];

/** @param what a verb and its object: "create API keys". */
export function roleSentence(minimum: Role, what: string): string {
  return `${holdersOf[minimum]} may ${what}.`;
}

/** A user tried an action that their role does not allow. `detail` is shown to them. */
export class RoleMissing extends Error {
  override readonly name = "RoleMissing";
  readonly detail: string;

  constructor(
    readonly minimumRole: Role,
    readonly what: string,
  ) {
    const detail = roleSentence(minimumRole, what);
    super(detail);
    this.detail = detail;
  }
}

/** @throws RoleMissing unless the caller may give this role. */
export function requireGrantable({ actor }: Identity, role: Role): void {
  if (actor.type === "USER" && !mayGrant(actor.role, role))
    throw new RoleMissing("OWNER", "grant the owner role");
}

/** @throws RoleMissing unless the caller may change members with this role. */
export function requireAuthorityOver({ actor }: Identity, other: Role, what: string): void {
  if (actor.type === "USER" && !mayChange(actor.role, other)) throw new RoleMissing("OWNER", what);
}

/**
 * The first line of every service function that not every role may call. Keys are limited by their
 * scopes, which the API pipeline has already checked; jobs and operators are not limited.
 * @param what a verb and its object: "create API keys".
 */
export function requireRole({ actor }: Identity, minimum: Role, what: string): void {
  if (actor.type === "USER" && !hasRole(actor.role, minimum)) throw new RoleMissing(minimum, what);
}
