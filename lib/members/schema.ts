import { z } from "zod";
import { storedText } from "@/lib/platform/schema";
import { idOf } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import { Role } from "@/prisma/generated/enums";

export const changeRoleInput = z.strictObject({
  userId: z.string().max(100),
  role: z.enum(Role, "must be a role"),
});

const member = z
  .object({
    id: idOf("user"),
    name: storedText(100, "The member's name."),
    role: z.enum(Role).meta({
      id: "Role",
      description:
        "What the member may do in the dashboard. A `VIEWER` reads conversations and does not reply.",
    }),
  })
  .meta({
    id: "Member",
    description: "A user who works with your conversations in the dashboard.",
  });

export const memberPage = pageOf(member);
/** Ordered by when the users signed up. */
export const listAssigneesQuery = listQuery("user", "desc", {});

/** The dashboard's list, in the opposite order. */
export const listMembersQuery = listQuery("user", "asc", {});

export type ListMembers = z.output<typeof listMembersQuery>;
export type ListAssignees = z.output<typeof listAssigneesQuery>;
