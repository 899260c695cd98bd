import { type NounsWith, type nouns, partsOf } from "@/lib/resources/registry";

/** Actions on the organization and its members. The registry has those on other nouns. */
const organizationActions = {
  "organization.created": "Organization created",
  "organization.renamed": "Organization renamed",
  "organization.plan_changed": "Plan changed",
  "organization.sample_data_added": "Sample data added",
  "organization.sample_data_removed": "Sample data removed",
  "organization.deletion_requested": "Deletion of the organization requested",
  "invitation.created": "Invitation created",
  "invitation.resent": "Invitation resent",
  "invitation.revoked": "Invitation revoked",
  "invitation.accepted": "Invitation accepted",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.sessions_ended": "Member signed out everywhere",
  "member.left": "Member left",
  "access.suspended": "Access suspended until it is confirmed",
  "access.confirmed": "Suspended access confirmed",
  "user.renamed": "User renamed",
  "user.signed_in": "Signed in",
  "user.sign_in_failed": "Sign-in failed",
  "user.confirmation_required": "Confirmation required",
  "user.proof_refused": "Confirmation failed",
  "user.throttled": "Attempts throttled",
  "user.signed_out": "Signed out everywhere",
  "user.session_revoked": "Session ended",
  "user.email_verified": "Email address verified",
  "user.email_change_requested": "New email address requested",
  "user.email_changed": "Email address changed",
  "user.email_restored": "Change of email address reversed",
  "user.account_linked": "GitHub or Google account linked",
  "user.password_changed": "Password changed",
  "user.password_reset": "Password reset by a link",
  "user.deleted": "Account deleted",
  "user.second_factor_changed": "Second factor changed",
  "user.second_factor_refused": "Second factor rejected",
  "user.recovery_code_used": "Recovery code used",
  "organization.second_factor_changed": "Second factor requirement changed",
  "alerts.changed": "Destination of alerts changed",
  "retention.changed": "Retention changed",
  "saved_view.deleted": "Shared inbox view deleted",
  "audit_log.exported": "Audit log exported",
  "customers.exported": "Customers exported",
  "events.exported": "Events exported",
  "request_logs.exported": "Request logs exported",
  "deliveries.exported": "Deliveries exported",
  "test_data.wipe_requested": "Wipe of test data requested",
  "test_data.wiped": "Test data wiped",
} as const;

export type Audited = NounsWith<"auditActions">;
type NounActions = { [Noun in Audited]: (typeof nouns)[Noun]["auditActions"] }[Audited];

export type AuditAction =
  | keyof typeof organizationActions
  | (NounActions extends infer Actions ? (Actions extends Actions ? keyof Actions : never) : never);

/** Every action that the audit log can hold, and the name that the dashboard shows for it. */
export const auditActionNames = Object.assign(
  {},
  organizationActions,
  ...partsOf("auditActions"),
) as Record<AuditAction, string>;

export const auditActions = Object.keys(auditActionNames) as [AuditAction, ...AuditAction[]];
