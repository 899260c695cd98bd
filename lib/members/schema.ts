import { z } from "zod";
import { email } from "@/lib/auth/schema";
import { listQuery } from "@/lib/schema";
import { Role } from "@/prisma/generated/enums";

const role = z.enum(Role, "choose a role");

export const changeRoleInput = z.strictObject({ userId: z.string().max(100), role });

export const invitationInput = z.strictObject({ email, role });

export type InvitationInput = z.output<typeof invitationInput>;

/** In the order in which people made their accounts. */
export const listMembersQuery = listQuery("user", "asc", {});

export type ListMembers = z.output<typeof listMembersQuery>;
