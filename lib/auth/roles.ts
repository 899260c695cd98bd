import type { Role } from "@/prisma/generated/enums";

/** Each role may do what the ones after it may. */
const rank: Record<Role, number> = { OWNER: 3, ADMIN: 2, MEMBER: 1, VIEWER: 0 };

export const roleNames: Record<Role, string> = { OWNER: "Owner", ADMIN: "Admin", MEMBER: "Member", VIEWER: "Viewer" };

export function hasRole(role: Role, minimum: Role): boolean {
  return rank[role] >= rank[minimum];
}
