import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import * as agents from "@/lib/agents/service";
import * as apiKeys from "@/lib/api-keys/service";
import * as audit from "@/lib/audit/service";
import { hasRole, RoleMissing } from "@/lib/auth/roles";
import { type Caller, mutate } from "@/lib/caller";
import * as conversations from "@/lib/conversations/service";
import * as customers from "@/lib/customers/service";
import * as deliveries from "@/lib/deliveries/service";
import * as documents from "@/lib/documents/service";
import * as invitations from "@/lib/invitations/service";
import * as knowledgeBases from "@/lib/knowledge-bases/service";
import * as members from "@/lib/members/service";
import * as messages from "@/lib/messages/service";
import * as tenants from "@/lib/tenants/service";
import * as testData from "@/lib/test-data/service";
import * as webhooks from "@/lib/webhooks/service";
import type { Role } from "@/prisma/generated/enums";
import { as, newAddress, newMember, newOrganisation } from "../support/people";

const id = (prefix: string) => `${prefix}_00000000000000000000000000`;
const file = { blobKey: "none", contentType: "text/plain", sizeBytes: 1, sha256: Buffer.alloc(32) };
const idleWebhook = { url: "http://127.0.0.1:9/hook", description: null, events: ["*"], metadata: {} } as never;

type Work = (caller: Caller) => unknown;

/**
 * Every function of a service that not every role may use, by the least role that may. The arguments name nothing that
 * exists: who may not, is told so before anything is looked up.
 */
const matrix: Record<string, [minimum: Role, work: Work]> = {
  createAgent: ["MEMBER", (caller) => agents.createAgent(caller, { name: "Agent", knowledgeBaseIds: [], metadata: {} } as never)],
  updateAgent: ["MEMBER", (caller) => agents.updateAgent(caller, id("agt"), {})],
  publishAgent: ["MEMBER", (caller) => agents.publishAgent(caller, id("agt"))],
  rollBackAgent: ["MEMBER", (caller) => agents.rollBackAgent(caller, id("agt"), 1)],
  archiveAgent: ["MEMBER", (caller) => agents.archiveAgent(caller, id("agt"))],
  createConversation: ["MEMBER", (caller) => conversations.createConversation(caller, { channelId: "web" } as never)],
  updateConversation: ["MEMBER", (caller) => conversations.updateConversation(caller, id("cnv"), {})],
  postMessage: ["MEMBER", (caller) => messages.postMessage(caller, id("cnv"), { text: "Hello" } as never)],
  createCustomer: ["MEMBER", (caller) => customers.createCustomer(caller, { name: "Ada", metadata: {} } as never)],
  findOrCreateCustomer: ["MEMBER", (caller) => customers.findOrCreateCustomer(caller, { name: "Ada", metadata: {} } as never)],
  updateCustomer: ["MEMBER", (caller) => customers.updateCustomer(caller, id("cus"), {})],
  createKnowledgeBase: ["MEMBER", (caller) => knowledgeBases.createKnowledgeBase(caller, { name: newAddress(), metadata: {} } as never)],
  createDocument: ["MEMBER", (caller) => documents.createDocument(caller, id("kb"), { name: "a.txt" } as never, file)],
  deleteDocument: ["MEMBER", (caller) => documents.deleteDocument(caller, id("kb"), id("doc"))],
  retryDocument: ["MEMBER", (caller) => documents.retryDocument(caller, id("kb"), id("doc"))],

  createApiKey: ["ADMIN", (caller) => apiKeys.createApiKey(caller, { name: "key", scopes: ["read:usage"] })],
  updateApiKey: ["ADMIN", (caller) => apiKeys.updateApiKey(caller, id("key"), {} as never)],
  rollApiKey: ["ADMIN", (caller) => apiKeys.rollApiKey(caller, id("key"), "now" as never)],
  revokeApiKey: ["ADMIN", (caller) => apiKeys.revokeApiKey(caller, id("key"))],
  createWebhook: ["ADMIN", (caller) => webhooks.createWebhook(caller, idleWebhook)],
  updateWebhook: ["ADMIN", (caller) => webhooks.updateWebhook(caller, id("whk"), {})],
  deleteWebhook: ["ADMIN", (caller) => webhooks.deleteWebhook(caller, id("whk"))],
  rotateSecret: ["ADMIN", (caller) => webhooks.rotateSecret(caller, id("whk"), { overlapSeconds: 0 })],
  dropOldSecret: ["ADMIN", (caller) => webhooks.dropOldSecret(caller, id("whk"))],
  sendTestEvent: ["ADMIN", (caller) => deliveries.sendTestEvent(caller, id("whk"))],
  resendDelivery: ["ADMIN", (caller) => deliveries.resendDelivery(caller, id("whk"), id("dlv"))],
  recoverDeliveries: ["ADMIN", (caller) => deliveries.recoverDeliveries(caller, id("whk"), { since: new Date(), dryRun: true } as never)],
  resumeHeld: ["ADMIN", (caller) => deliveries.resumeHeld(caller, id("whk"))],
  discardHeld: ["ADMIN", (caller) => deliveries.discardHeld(caller, id("whk"))],
  enableWebhook: ["ADMIN", (caller) => deliveries.enableWebhook(caller, id("whk"), { held: "DISCARD" } as never)],
  listAuditEntries: ["ADMIN", (caller) => audit.listAuditEntries(caller, {})],
  listAuditTrail: ["ADMIN", (caller) => audit.listAuditTrail(caller, id("key"))],
  exportAuditEntries: ["ADMIN", (caller) => audit.exportAuditEntries(caller, {}).next()],
  verifyAuditChain: ["ADMIN", (caller) => audit.verifyAuditChain(caller)],
  renameTenant: ["ADMIN", (caller) => tenants.renameTenant(caller, "Another name")],
  requestWipe: ["ADMIN", (caller) => testData.requestWipe(caller, "not its name")],
  listInvitations: ["ADMIN", (caller) => invitations.listInvitations(caller)],
  createInvitation: ["ADMIN", (caller) => invitations.createInvitation(caller, { email: newAddress(), role: "VIEWER" })],
  resendInvitation: ["ADMIN", (caller) => invitations.resendInvitation(caller, id("inv"))],
  revokeInvitation: ["ADMIN", (caller) => invitations.revokeInvitation(caller, id("inv"))],
  changeRole: ["ADMIN", (caller) => members.changeRole(caller, id("usr"), "VIEWER")],
  removeMember: ["ADMIN", (caller) => members.removeMember(caller, id("usr"))],
};

/** Functions that write and ask for no role, and why that is right. */
const forEveryRole: Record<string, string> = {
  leaveOrganisation: "everybody may go",
  renameUser: "everybody has a name",
  recordAudit: "called by what asks for the role",
  lockTenant: "called by what asks for the role",
  addBacklogTask: "called by what asks for the role",
  countDocument: "called by what asks for the role",
  adoptBlob: "called by what asks for the role",
  abandonBlob: "called by what asks for the role",
  once: "runs what asks for the role",
};

const roles: Role[] = ["OWNER", "ADMIN", "MEMBER", "VIEWER"];

describe.each(Object.entries(matrix))("%s", (_name, [minimum, work]) => {
  test.each(roles)(`%s, where it takes ${minimum}`, async (role) => {
    const { tenant } = await newOrganisation();
    const person = await newMember(tenant.id, role);
    // A deliberate failure at the end leaves nothing behind.
    const outcome = await mutate(as(person), async (caller) => {
      await work(caller);
      throw new Error("rolled back");
    }).catch((error: Error) => error);
    expect(outcome instanceof RoleMissing).toBe(!hasRole(role, minimum));
  });
});

type Found = { name: string; minimum: string | undefined; writes: boolean };

/** Exported functions whose first parameter says who acts, as they stand in the source. */
function serviceFunctions(): Found[] {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return files.flatMap((name) => {
    const source = ts.createSourceFile(name, readFileSync(path.join("lib", name), "utf8"), ts.ScriptTarget.Latest, true);
    return source.statements.filter(ts.isFunctionDeclaration).flatMap((declaration) => {
      const isExported = declaration.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
      if (!isExported || declaration.parameters[0]?.type?.getText() !== "Caller") return [];
      const body = declaration.body?.getText() ?? "";
      const minimum = /requireRole\(\w+, "(\w+)"/.exec(body)?.[1];
      const writes = /recordAudit\(|recordEvent\(|\.(create|update|upsert|delete)(Many|ManyAndReturn)?\(|\$executeRaw/.test(body);
      return [{ name: declaration.name?.text ?? "", minimum, writes }];
    });
  });
}

test("the matrix holds every function that asks for a role, and every other one that writes is for everybody", () => {
  const found = serviceFunctions();
  const asking = found.filter(({ minimum }) => minimum);
  expect(Object.fromEntries(asking.map(({ name, minimum }) => [name, minimum]))).toEqual(
    Object.fromEntries(Object.entries(matrix).map(([name, [minimum]]) => [name, minimum])),
  );
  const writing = found.filter(({ minimum, writes }) => writes && !minimum).map(({ name }) => name);
  expect(writing.sort()).toEqual(Object.keys(forEveryRole).sort());
});

test("what asks for no role because only keys reach it is reached from no page", () => {
  const files = readdirSync("app", { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name) && !name.startsWith("v1/"));
  const reaching = files.filter((name) => /AtOnce\b/.test(readFileSync(path.join("app", name), "utf8")));
  expect(reaching).toEqual([]);
});
