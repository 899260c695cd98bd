import { z } from "zod";
import { email } from "@/lib/users/schema";
import { Role } from "@/prisma/generated/enums";

export const invitationInput = z.strictObject({ email, role: z.enum(Role, "must be a role") });

export type InvitationInput = z.output<typeof invitationInput>;
