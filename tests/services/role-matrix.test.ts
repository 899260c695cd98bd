import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as accessReview from "@/lib/access-review/service";
import * as agents from "@/lib/agents/service";
import * as agentVersions from "@/lib/agents/versions";
import * as apiKeys from "@/lib/api-keys/service";
import * as audit from "@/lib/audit/service";
import * as auditChain from "@/lib/audit/verify-chain";
import * as deletions from "@/lib/conversations/delete";
import * as messages from "@/lib/conversations/messages";
import * as redaction from "@/lib/conversations/redact";
import * as savedViews from "@/lib/conversations/saved-views";
import * as conversations from "@/lib/conversations/service";
import * as conversationUpdates from "@/lib/conversations/update";
import * as customers from "@/lib/customers/service";
import * as customerUpdates from "@/lib/customers/update";
import * as deliveries from "@/lib/deliveries/service";
import * as erasures from "@/lib/erasures/service";
import * as files from "@/lib/files/service";
import * as knowledgeBases from "@/lib/knowledge/bases/service";
import * as documentChanges from "@/lib/knowledge/documents/change-document";
import * as documents from "@/lib/knowledge/documents/service";
import * as invitations from "@/lib/members/invitations";
import * as members from "@/lib/members/service";
import { type Caller, type Identity, mutate } from "@/lib/platform/caller";
import { RoleMissing } from "@/lib/platform/roles";
import * as retention from "@/lib/retention/settings";
import * as sampleData from "@/lib/sample-data/service";
import * as requirement from "@/lib/second-factor/requirement";
import { ProofNeeded, proofLifetimeMs } from "@/lib/step-up/proof";
import { type ProtectedActionName, protectedActions } from "@/lib/step-up/protected-actions";
import * as tenantDeletion from "@/lib/tenant-deletion/service";
import * as tenants from "@/lib/tenants/service";
import * as testData from "@/lib/test-data/service";
import * as alerts from "@/lib/webhooks/alerts";
import * as secrets from "@/lib/webhooks/rotate-secret";
import * as webhooks from "@/lib/webhooks/service";
import type { Environment, Role } from "@/prisma/generated/enums";
import { as, newAddress, newMember, newOrganization, type TestPerson } from "../support/people";

const id = (prefix: string) => `${prefix}_00000000000000000000000000`;
const file = { blobKey: "none", contentType: "text/plain", sizeBytes: 1, sha256: Buffer.alloc(32) };
const noRetention = { conversations: null, events: null, requestLogs: null, attempts: null };
const idleWebhook = {
  url: "http://127.0.0.1:9/hook",
  description: null,
  events: ["*"],
  metadata: {},
} as never;

/** What the caller's organization has, for functions that only decide once they see the row. */
type Existing = { keyId: string; webhookId: string };
type Work = (caller: Caller, existing: Existing) => unknown;

/**
 * Whether a user must have shown within the last ten minutes that it is them: in both environments,
 * in live, or never.
 */
type Proof = "always" | "live" | "never";

/**
 * Every service function that not every role may use: the least role that may, and whether it needs
 * a fresh proof. Most arguments name nothing that exists, because role and proof are checked before
 * anything is looked up.
 */
const matrix: Record<string, [minimum: Role, proof: Proof, work: Work]> = {
  getAlertTarget: ["ADMIN", "never", alerts.getAlertTarget],
  changeAlertTarget: ["ADMIN", "always", (caller) => alerts.changeAlertTarget(caller, null)],
  createAgent: [
    "MEMBER",
    "never",
    (caller) =>
      agents.createAgent(caller, { name: "Agent", knowledgeBaseIds: [], metadata: {} } as never),
  ],
  updateAgent: ["MEMBER", "never", (caller) => agents.updateAgent(caller, id("agt"), {})],
  publishAgent: ["MEMBER", "never", (caller) => agentVersions.publishAgent(caller, id("agt"))],
  rollBackAgent: ["MEMBER", "never", (caller) => agentVersions.rollBackAgent(caller, id("agt"), 1)],
  archiveAgent: ["MEMBER", "never", (caller) => agents.archiveAgent(caller, id("agt"))],
  createConversation: [
    "MEMBER",
    "never",
    (caller) => conversations.createConversation(caller, { channelId: "web" } as never),
  ],
  updateConversation: [
    "MEMBER",
    "never",
    (caller) => conversationUpdates.updateConversation(caller, id("cnv"), {}),
  ],
  // Only to share it.
  saveView: [
    "MEMBER",
    "never",
    (caller) => savedViews.saveView(caller, { name: "View", query: "", isShared: true }),
  ],
  // Only of another member.
  deleteView: [
    "ADMIN",
    "never",
    (caller) => savedViews.deleteView(caller, { userId: id("usr"), name: "View" }),
  ],
  postMessage: [
    "MEMBER",
    "never",
    (caller) => messages.postMessage(caller, id("cnv"), { text: "Hello" } as never),
  ],
  createFile: ["MEMBER", "never", (caller) => files.createFile(caller, { name: "a.txt" }, file)],
  deleteConversation: [
    "MEMBER",
    "never",
    (caller) => deletions.deleteConversation(caller, id("cnv")),
  ],
  deleteCustomer: [
    "MEMBER",
    "never",
    (caller) => deletions.deleteCustomer(caller, id("cus"), { cascade: true }),
  ],
  redactMessage: [
    "MEMBER",
    "never",
    (caller) => redaction.redactMessage(caller, id("cnv"), id("msg")),
  ],
  previewRetention: ["ADMIN", "never", (caller) => retention.previewRetention(caller, noRetention)],
  updateRetention: ["ADMIN", "live", (caller) => retention.updateRetention(caller, noRetention)],
  eraseCustomer: ["ADMIN", "live", (caller) => erasures.eraseCustomer(caller, id("cus"))],
  deleteAgent: ["MEMBER", "never", (caller) => agents.deleteAgent(caller, id("agt"))],
  deleteKnowledgeBase: [
    "MEMBER",
    "never",
    (caller) => knowledgeBases.deleteKnowledgeBase(caller, id("kb")),
  ],
  createCustomer: [
    "MEMBER",
    "never",
    (caller) => customers.createCustomer(caller, { name: "Ada", metadata: {} } as never),
  ],
  findOrCreateCustomer: [
    "MEMBER",
    "never",
    (caller) => customers.findOrCreateCustomer(caller, { name: "Ada", metadata: {} } as never),
  ],
  updateCustomer: [
    "MEMBER",
    "never",
    (caller) => customerUpdates.updateCustomer(caller, id("cus"), {}),
  ],
  upsertCustomer: [
    "MEMBER",
    "never",
    (caller) => customerUpdates.upsertCustomer(caller, "c-1", {}),
  ],
  createKnowledgeBase: [
    "MEMBER",
    "never",
    (caller) =>
      knowledgeBases.createKnowledgeBase(caller, { name: newAddress(), metadata: {} } as never),
  ],
  createDocument: [
    "MEMBER",
    "never",
    (caller) => documents.createDocument(caller, id("kb"), { name: "a.txt" } as never, file),
  ],
  addSampleData: ["MEMBER", "never", (caller) => sampleData.addSampleData(caller, [])],
  removeSampleData: ["MEMBER", "never", sampleData.removeSampleData],
  updateKnowledgeBase: [
    "MEMBER",
    "never",
    (caller) => knowledgeBases.updateKnowledgeBase(caller, id("kb"), {}),
  ],
  updateDocument: [
    "MEMBER",
    "never",
    (caller) => documentChanges.updateDocument(caller, id("kb"), id("doc"), {}),
  ],
  replaceDocument: [
    "MEMBER",
    "never",
    (caller) =>
      documentChanges.replaceDocument(caller, id("kb"), id("doc"), { name: "a.txt" }, file),
  ],
  deleteDocument: [
    "MEMBER",
    "never",
    (caller) => documents.deleteDocument(caller, id("kb"), id("doc")),
  ],
  retryDocument: [
    "MEMBER",
    "never",
    (caller) => documentChanges.retryDocument(caller, id("kb"), id("doc")),
  ],

  createApiKey: [
    "ADMIN",
    "live",
    (caller) => apiKeys.createApiKey(caller, { name: "key", scopes: ["read:usage"] }),
  ],
  updateApiKey: [
    "ADMIN",
    "live",
    (caller, { keyId }) => apiKeys.updateApiKey(caller, keyId, { scopes: ["read:agents"] }),
  ],
  rollApiKey: ["ADMIN", "live", (caller) => apiKeys.rollApiKey(caller, id("key"), "now" as never)],
  revokeApiKey: ["ADMIN", "live", (caller) => apiKeys.revokeApiKey(caller, id("key"))],
  createWebhook: ["ADMIN", "live", (caller) => webhooks.createWebhook(caller, idleWebhook)],
  updateWebhook: [
    "ADMIN",
    "live",
    (caller, { webhookId }) => webhooks.updateWebhook(caller, webhookId, { events: ["*"] }),
  ],
  deleteWebhook: ["ADMIN", "live", (caller) => webhooks.deleteWebhook(caller, id("whk"))],
  rotateSecret: [
    "ADMIN",
    "live",
    (caller) => secrets.rotateSecret(caller, id("whk"), { overlapSeconds: 0 }),
  ],
  dropOldSecret: ["ADMIN", "live", (caller) => secrets.dropOldSecret(caller, id("whk"))],
  sendTestEvent: ["ADMIN", "never", (caller) => deliveries.sendTestEvent(caller, id("whk"))],
  resendDelivery: [
    "ADMIN",
    "never",
    (caller) => deliveries.resendDelivery(caller, id("whk"), id("dlv")),
  ],
  recoverDeliveries: [
    "ADMIN",
    "never",
    (caller) =>
      deliveries.recoverDeliveries(caller, id("whk"), { since: new Date(), dryRun: true } as never),
  ],
  replayWebhook: [
    "ADMIN",
    "never",
    (caller) =>
      deliveries.replayWebhook(caller, id("whk"), { since: new Date(), dryRun: true } as never),
  ],
  resumeHeld: ["ADMIN", "never", (caller) => deliveries.resumeHeld(caller, id("whk"))],
  discardHeld: ["ADMIN", "never", (caller) => deliveries.discardHeld(caller, id("whk"))],
  enableWebhook: [
    "ADMIN",
    "live",
    (caller, { webhookId }) => deliveries.enableWebhook(caller, webhookId, { held: "KEEP" }),
  ],
  listAuditEntries: ["ADMIN", "never", (caller) => audit.listAuditEntries(caller, {})],
  listAuditTrail: ["ADMIN", "never", (caller) => audit.listAuditTrail(caller, id("key"))],
  exportAuditEntries: ["ADMIN", "never", (caller) => audit.exportAuditEntries(caller, {}).next()],
  verifyAuditChain: ["ADMIN", "never", (caller) => auditChain.verifyAuditChain(caller)],
  renameTenant: ["ADMIN", "never", (caller) => tenants.renameTenant(caller, "Another name")],
  deleteOrganization: [
    "OWNER",
    "always",
    (caller) => tenantDeletion.deleteOrganization(caller, "not its slug"),
  ],
  requestWipe: ["ADMIN", "never", (caller) => testData.requestWipe(caller, "not its name")],
  listInvitations: ["ADMIN", "never", (caller) => invitations.listInvitations(caller)],
  listSuspendedAccess: ["ADMIN", "never", (caller) => accessReview.listSuspendedAccess(caller)],
  countAllSuspendedAccess: [
    "ADMIN",
    "never",
    (caller) => accessReview.countAllSuspendedAccess(caller),
  ],
  changeSecondFactorRequirement: [
    "OWNER",
    "always",
    (caller) => requirement.changeSecondFactorRequirement(caller, false),
  ],
  confirmAccess: ["ADMIN", "always", (caller) => accessReview.confirmAccess(caller, "everything")],
  createInvitation: [
    "ADMIN",
    "always",
    (caller) => invitations.createInvitation(caller, { email: newAddress(), role: "VIEWER" }),
  ],
  resendInvitation: [
    "ADMIN",
    "always",
    (caller) => invitations.resendInvitation(caller, id("inv")),
  ],
  revokeInvitation: [
    "ADMIN",
    "always",
    (caller) => invitations.revokeInvitation(caller, id("inv")),
  ],
  changeRole: ["ADMIN", "always", (caller) => members.changeRole(caller, id("usr"), "VIEWER")],
  endMemberSessions: ["ADMIN", "always", (caller) => members.endMemberSessions(caller, id("usr"))],
  removeMember: ["ADMIN", "always", (caller) => members.removeMember(caller, id("usr"))],
};

/** Functions for admins that need no proof, and why a stolen session gains nothing by them. */
const withoutProof: Record<string, string> = {
  listAuditEntries: "reads",
  listAuditTrail: "reads",
  exportAuditEntries: "reads",
  verifyAuditChain: "reads",
  getAlertTarget: "reads",
  listInvitations: "reads",
  listSuspendedAccess: "reads",
  countAllSuspendedAccess: "reads",
  sendTestEvent: "goes to an address that was chosen with a proof",
  resendDelivery: "goes to an address that was chosen with a proof",
  recoverDeliveries: "goes to an address that was chosen with a proof",
  replayWebhook: "goes to an address that was chosen with a proof",
  resumeHeld: "goes to an address that was chosen with a proof",
  discardHeld: "each delivery can still be resent",
  renameTenant: "changes no one's access",
  deleteView: "can be saved again",
  previewRetention: "only counts",
  requestWipe: "deletes test data only, and takes the organization's name typed out",
};

/** Functions that write and ask for no role, and why that is right. */
const forEveryRole: Record<string, string> = {
  leaveOrganization: "every member may leave",
  renameUser: "all users have a name",
  changeMutedNotifications: "all users choose their own notifications",
  markNotificationsRead: "all users read their own notifications",
  noteRequest: "its callers require the role",
  notifyOfQuota: "only the job that warns of quotas calls it",
  recordAudit: "its callers require the role",
  requireStepUp: "records what it refuses, and changes nothing else",
  followEvents: "reads; what it adds and deletes is in memory",
  lockTenant: "its callers require the role",
  lockRow: "its callers require the role",
  addBacklogTask: "its callers require the role",
  touchWebhook: "its callers require the role",
  countDocument: "its callers require the role",
  writeAgent: "its callers require the role",
  insertCustomer: "its callers require the role",
  insertApiKey: "its callers require the role",
  lockCustomerForDeletion: "its callers require the role",
  recordMessageEvent: "its callers require the role",
  forgetResponses: "its callers require the role",
  lockFilesToAttach: "its callers require the role",
  attachFiles: "its callers require the role",
  deleteFilesOfMessages: "its callers require the role",
  adoptBlob: "its callers require the role",
  recordDeletedTenant: "only a job calls it",
  setPlan: "only an operator calls it",
  abandonBlob: "its callers require the role",
  runOnce: "the change that it runs requires the role",
};

/** Each role may do what the ones after it may. */
const roles: Role[] = ["OWNER", "ADMIN", "MEMBER", "VIEWER"];

const idleHook = {
  url: "https://example.com/hook",
  description: null,
  events: ["message.sent"],
  metadata: {},
};

async function newExisting(owner: TestPerson, environment: Environment): Promise<Existing> {
  const input = { name: "key", scopes: ["read:usage" as const] };
  const { apiKey } = await mutate(as(owner, environment), (caller) =>
    apiKeys.createApiKey(caller, input),
  );
  const webhook = await mutate(as(owner, environment), (caller) =>
    webhooks.createWebhook(caller, idleHook),
  );
  await mutate(as(owner, environment), (caller) =>
    webhooks.updateWebhook(caller, webhook.id, { status: "DISABLED" }),
  );
  return { keyId: apiKey.id, webhookId: webhook.id };
}

/** The error that the work throws. A deliberate failure at the end rolls everything back. */
async function outcomeOf(identity: Identity, work: (caller: Caller) => unknown): Promise<Error> {
  return mutate(identity, async (caller) => {
    await work(caller);
    throw new Error("rolled back");
  }).catch((error: Error) => error);
}

function withProofAt(identity: Identity, provedAt: Date | null): Identity {
  return { ...identity, actor: { ...identity.actor, provedAt } as Identity["actor"] };
}

describe.each(Object.entries(matrix))("%s", (_name, [minimum, proof, work]) => {
  test(`needs the role ${minimum}, and a fresh proof: ${proof}`, async () => {
    const { tenant, owner } = await newOrganization();
    for (const environment of ["test", "live"] as const) {
      const existing = await newExisting(owner, environment);
      const needsProof = proof === "always" || (proof === "live" && environment === "live");
      for (const role of roles) {
        const mayDoIt = roles.indexOf(role) <= roles.indexOf(minimum);
        const identity = as(await newMember(tenant.id, role), environment);
        const attempt = (provedAt: Date | null) =>
          outcomeOf(withProofAt(identity, provedAt), (caller) => work(caller, existing));
        const stale = new Date(Date.now() - proofLifetimeMs - 1_000);
        for (const outcome of [
          await attempt(new Date()),
          await attempt(stale),
          await attempt(null),
        ]) {
          expect(outcome instanceof RoleMissing, `${role} in ${environment}: ${outcome}`).toBe(
            !mayDoIt,
          );
        }
        if (!mayDoIt) continue;
        expect(await attempt(new Date())).not.toBeInstanceOf(ProofNeeded);
        for (const provedAt of [stale, null]) {
          expect(
            (await attempt(provedAt)) instanceof ProofNeeded,
            `${role} in ${environment}`,
          ).toBe(needsProof);
        }
      }
    }
  });
});

test("leaving an organization needs a fresh proof", async () => {
  const { tenant } = await newOrganization();
  const member = as(await newMember(tenant.id, "MEMBER"));
  expect(await outcomeOf(withProofAt(member, null), members.leaveOrganization)).toBeInstanceOf(
    ProofNeeded,
  );
  expect(await outcomeOf(member, members.leaveOrganization)).not.toBeInstanceOf(ProofNeeded);
});

type Found = {
  name: string;
  minimum: string | undefined;
  power: string | undefined;
  writes: boolean;
};

/** Exported functions whose first parameter says who acts, as they stand in the source. */
function serviceFunctions(): Found[] {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  return files.flatMap((name) => {
    const source = ts.createSourceFile(
      name,
      readFileSync(path.join("lib", name), "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    return source.statements.filter(ts.isFunctionDeclaration).flatMap((declaration) => {
      const isExported = declaration.modifiers?.some(
        ({ kind }) => kind === ts.SyntaxKind.ExportKeyword,
      );
      if (!isExported || declaration.parameters[0]?.type?.getText() !== "Caller") return [];
      const body = declaration.body?.getText() ?? "";
      const minimum = /requireRole\(\w+, "(\w+)"/.exec(body)?.[1];
      const power = /requireStepUp\(\w+, "(\w+)"/.exec(body)?.[1];
      const writes =
        /recordAudit\(|recordEvent\(|\.(create|update|upsert|delete)(Many|ManyAndReturn)?\(|lockAccount\(|runSql\b[^;]*, caller\)/.test(
          body,
        );
      return [{ name: declaration.name?.text ?? "", minimum, power, writes }];
    });
  });
}

test("the matrix lists every function that requires a role, and every other one that writes is open to all roles", () => {
  const found = serviceFunctions();
  const asking = found.filter(({ minimum }) => minimum);
  expect(Object.fromEntries(asking.map(({ name, minimum }) => [name, minimum]))).toEqual(
    Object.fromEntries(Object.entries(matrix).map(([name, [minimum]]) => [name, minimum])),
  );
  const writing = found.filter(({ minimum, writes }) => writes && !minimum).map(({ name }) => name);
  expect(writing.sort()).toEqual(Object.keys(forEveryRole).sort());
});

test("each function on the list of protected actions asks for a proof in its own name, and each other function for admins has a reason not to", () => {
  const found = serviceFunctions();
  const asking = found.flatMap(({ name, power }) => (power ? [[name, power]] : []));
  expect(Object.fromEntries(asking)).toEqual(
    Object.fromEntries(Object.keys(protectedActions).map((name) => [name, name])),
  );

  const unproved = Object.entries(matrix).flatMap(([name, [minimum, proof]]) =>
    minimum !== "MEMBER" && proof === "never" ? [name] : [],
  );
  expect(unproved.sort()).toEqual(Object.keys(withoutProof).sort());
});

test("every server action that reaches a power can ask for the proof", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("actions.ts"),
  );
  const reaching = new RegExp(
    `\\b(${[...Object.keys(protectedActions), "enableWebhook"].join("|")})\\(`,
  );
  const asking: ProtectedActionName[] = [];
  for (const name of files) {
    for (const action of readFileSync(path.join("app", name), "utf8").split(/^export /m)) {
      const power = reaching.exec(action)?.[1];
      if (!power) continue;
      expect(action, name).toContain("actWithProof(");
      asking.push(power as ProtectedActionName);
    }
  }
  expect(new Set(asking)).toEqual(new Set([...Object.keys(protectedActions), "enableWebhook"]));
});

test("no page reaches a function that requires no role because only keys use it", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter(
    (name) => /\.tsx?$/.test(name) && !name.startsWith("v1/"),
  );
  const reaching = files.filter((name) =>
    /InOneStatement\b/.test(readFileSync(path.join("app", name), "utf8")),
  );
  expect(reaching).toEqual([]);
});
