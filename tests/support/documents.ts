import { processNextDocument, roundRobinStart } from "@/lib/knowledge/documents/process-document";
import type { Partition } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { call, type Reply, send, type TestTenant } from "./api";
import type { Content } from "./files";

export async function newKnowledgeBase(tenant: TestTenant, name = "Manuals"): Promise<string> {
  const { body } = await call(tenant, "POST", "/knowledge-bases", { name });
  return body.id;
}

/** Instead of uploading as much: the environment stored these bytes on an earlier day. */
export const storeEarlier = (partition: Partition, sizeBytes: number) =>
  db().storageDay.create({ data: { ...partition, day: new Date("2026-01-01"), sizeBytes } });

export function formOf(
  content: Content,
  fileName: string,
  fields: Record<string, string> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(
    "file",
    new Blob([typeof content === "string" ? content : new Uint8Array(content)]),
    fileName,
  );
  return form;
}

export function upload(
  tenant: Pick<TestTenant, "key">,
  knowledgeBaseId: string,
  form: FormData,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return send(`/v1/public/knowledge-bases/${knowledgeBaseId}/documents`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, ...headers },
    body: form,
  });
}

/** Uploads a file for a message, as a program does. */
export const uploadFile = (
  { key }: Pick<TestTenant, "key">,
  content: Content,
  name: string,
  headers: Record<string, string> = {},
): Promise<Reply> =>
  send("/v1/public/files", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: formOf(content, name),
  });

/** Processes all pending documents of this test file's database. */
export async function processAll(): Promise<void> {
  for (let turn = await processNextDocument(roundRobinStart); turn; )
    turn = await processNextDocument(turn);
}
