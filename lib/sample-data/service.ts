import { createAgent, deleteAgent } from "@/lib/agents/service";
import { recordAudit } from "@/lib/audit/service";
import { deleteConversation, deleteCustomer } from "@/lib/conversations/delete";
import { postMessage } from "@/lib/conversations/messages";
import { createConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { createCustomer } from "@/lib/customers/service";
import { createKnowledgeBase, deleteKnowledgeBase } from "@/lib/knowledge/bases/service";
import {
  createDocument,
  deleteDocument,
  knowledgeBaseOfDocument,
} from "@/lib/knowledge/documents/service";
import type { Caller } from "@/lib/platform/caller";
import { AppError } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { kindOfId } from "@/lib/resources/ids";
import { lockTenantAsMember } from "@/lib/tenants/service";
import { type SampleFile, sampleKnowledgeBase } from "./sample-documents";
import { metadata, sampleAgent, sampleConversations, sampleCustomers } from "./sample-objects";

/** Whether the test environment has sample data, or so little of its own that it can be added. */
export type SampleDataState = "present" | "possible" | "none";

/**
 * From so many conversations or customers on, an environment is in use. A newcomer's first requests
 * are fewer, and the samples are offered to newcomers.
 */
const inUse = 10;

export async function sampleDataState({ db, partition }: Caller): Promise<SampleDataState> {
  if (partition.environment !== "test") return "none";
  const { sampleIds } = await db.tenant.findUniqueOrThrow({
    where: { id: partition.tenantId },
    select: { sampleIds: true },
  });
  if (sampleIds.length > 0) return "present";
  const page = { select: { id: true }, take: inUse };
  const [conversations, customers] = await Promise.all([
    db.conversation.findMany({ where: partition, ...page }),
    db.customer.findMany({ where: partition, ...page }),
  ]);
  return Math.max(conversations.length, customers.length) < inUse ? "possible" : "none";
}

/**
 * Adds customers, conversations, documents and an agent to try the dashboard with, in test only:
 * live data is billed and real. They are created as a member would create them, with events. The
 * organization's row stores their ids, so that only they are removed. Does nothing if it has ids
 * already.
 * @param files those of `withSampleFiles`
 */
export async function addSampleData(caller: Caller, files: SampleFile[]): Promise<void> {
  requireRole(caller, "MEMBER", "add sample data");
  requireTest(caller);
  const tenant = await lockTenantAsMember(caller);
  if (tenant.sampleIds.length > 0) return;

  const name = await freeName(caller, sampleKnowledgeBase.name);
  const knowledgeBase = await createKnowledgeBase(caller, {
    ...sampleKnowledgeBase,
    name,
    metadata,
  });
  const ids = [knowledgeBase.id];
  for (const { name, file } of files) {
    const document = await createDocument(caller, knowledgeBase.id, { name, metadata }, file);
    ids.push(document.id);
  }
  const agent = await createAgent(caller, {
    ...sampleAgent,
    knowledgeBaseIds: [knowledgeBase.id],
  });
  ids.push(agent.id);
  for (const { customer, ...conversation } of sampleConversations) {
    const { id: customerId } = await createCustomer(caller, sampleCustomers[customer]);
    const { messages, changes, ...fields } = conversation;
    const { id } = await createConversation(caller, { ...fields, customerId });
    for (const message of messages) await postMessage(caller, id, message);
    if (changes) await updateConversation(caller, id, changes);
    ids.push(id, customerId);
  }
  await remember(caller, ids);
  await recordAudit(caller, {
    action: "organization.sample_data_added",
    targetId: tenant.id,
    changes: { after: { objects: ids.length } },
  });
}

/**
 * Deletes the sample data and nothing else. Customers with another conversation, an agent that was
 * published or has a conversation, and a knowledge base with another document are in use and stay.
 */
export async function removeSampleData(caller: Caller): Promise<void> {
  requireRole(caller, "MEMBER", "remove sample data");
  requireTest(caller);
  const tenant = await lockTenantAsMember(caller);
  if (tenant.sampleIds.length === 0) return;
  const removed = { conversations: 0, customers: 0, agents: 0, documents: 0, knowledgeBases: 0 };
  const of = (kind: ReturnType<typeof kindOfId>) =>
    tenant.sampleIds.filter((id) => kindOfId(id) === kind);
  for (const id of of("conversation"))
    removed.conversations += await unlessInUse(deleteConversation(caller, id));
  for (const id of of("customer"))
    removed.customers += await unlessInUse(deleteCustomer(caller, id, { cascade: false }));
  for (const id of of("agent")) removed.agents += await unlessInUse(deleteAgent(caller, id));
  for (const id of of("document"))
    removed.documents += await unlessInUse(deleteSampleDocument(caller, id));
  for (const id of of("knowledgeBase"))
    if (await isEmpty(caller, id))
      removed.knowledgeBases += await unlessInUse(deleteKnowledgeBase(caller, id));
  await remember(caller, []);
  await recordAudit(caller, {
    action: "organization.sample_data_removed",
    targetId: tenant.id,
    changes: { before: removed },
  });
}

/** With a number if an earlier knowledge base has the name and is in use. */
async function freeName({ db, partition }: Caller, name: string): Promise<string> {
  const found = await db.knowledgeBase.findMany({
    where: { ...partition, name: { startsWith: name } },
    select: { name: true },
  });
  const taken = new Set(found.map((base) => base.name));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name} ${number}`;
  return free;
}

const deleteSampleDocument = async (caller: Caller, id: string) =>
  deleteDocument(caller, await knowledgeBaseOfDocument(caller, id), id);

async function isEmpty({ db, partition }: Caller, knowledgeBaseId: string): Promise<boolean> {
  const where = { ...partition, knowledgeBaseId };
  return (await db.document.findFirst({ where, select: { id: true } })) === null;
}

/** Objects that are in use, or that someone has deleted already, are left alone. */
async function unlessInUse(deleting: Promise<unknown>): Promise<0 | 1> {
  try {
    await deleting;
    return 1;
  } catch (error) {
    if (error instanceof AppError && [404, 409].includes(error.status)) return 0;
    throw error;
  }
}

const remember = ({ db, partition }: Caller, sampleIds: string[]) =>
  db.tenant.update({ where: { id: partition.tenantId }, data: { sampleIds } });

function requireTest({ partition }: Caller): void {
  if (partition.environment !== "test")
    throw new AppError("validation", "Sample data can be added only in test.");
}
