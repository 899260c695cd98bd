import { z } from "zod";
import { listQuery } from "@/lib/resources/pages";
import { Role } from "@/prisma/generated/enums";

export const changeRoleInput = z.strictObject({
  userId: z.string().max(100),
  role: z.enum(Role, "must be a role"),
});

/** Ordered by when the users signed up. */
export const listMembersQuery = listQuery("user", "asc", {});

export type ListMembers = z.output<typeof listMembersQuery>;
