import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "./client";
import type { ApiResponse, FormParts, History, Made, Method, SentRequest } from "./history";
import { pick } from "./random";

// Writers that behave like tenants' programs. Each works on its own objects, so that it knows
// the last change.

const successes = [200, 201];
const simultaneous = 4;
const longestPauseMs = 30;

type Thing = { id: string; label: string };
type Options = {
  client: Client;
  history: History;
  random: () => number;
  knowledgeBaseId: string;
  webhookUrl: string;
};

/** Runs writers until it is stopped. Changes in progress are completed first. */
export function startLoad(writerCount: number, newOptions: (writer: number) => Options) {
  let isOver = false;
  const writers = Array.from({ length: writerCount }, async (_, number) => {
    const options = newOptions(number);
    const step = newWriter(`w${number}`, options);
    try {
      while (!isOver) {
        await step();
        await sleep(options.random() * longestPauseMs);
      }
    } catch (error) {
      options.history.violations.push(`a writer gave up: ${(error as Error).message}`);
    }
  });

  async function stop(): Promise<void> {
    isOver = true;
    await Promise.all(writers);
  }
  return { stop };
}

/** @returns a function that makes one change, or a few that belong together. */
function newWriter(
  name: string,
  { client, history, random, knowledgeBaseId, webhookUrl }: Options,
) {
  const conversations: Thing[] = [];
  const customers: Thing[] = [];
  const documents: Thing[] = [];
  let labels = 0;

  const newLabel = () => `${name}-${labels++}`;
  const oneOf = <Item>(items: Item[]): Item | undefined =>
    items[Math.floor(random() * items.length)];
  const documentsPath = `/knowledge-bases/${knowledgeBaseId}/documents`;

  /** Retries the change until it succeeds, with an idempotency key. @returns the response's body */
  async function change(
    method: Method,
    path: string,
    body: SentRequest["body"],
    label: string,
  ): Promise<{ id: string; secret?: string }> {
    const request = { method, path, body, key: `${method} ${label}` };
    return settle(request, await client.insist(request));
  }

  function settle(request: SentRequest, response: ApiResponse): { id: string } {
    if (!successes.includes(response.status)) {
      history.violations.push(
        `${request.method} ${request.path} got ${response.status}: ${response.text}`,
      );
      return { id: "" };
    }
    history.acknowledged.push({ request, response });
    return JSON.parse(response.text);
  }

  /**
   * Without a key, a change whose response was lost may have been made or not. It is not retried.
   */
  async function changeOnce(
    path: string,
    body: object,
    made: Made[],
    label: string,
  ): Promise<Thing | null> {
    const response = await client.send({
      method: "POST",
      path,
      body: JSON.stringify(body),
      key: null,
    });
    if (response && !successes.includes(response.status)) {
      history.violations.push(`POST ${path} got ${response.status}: ${response.text}`);
      return null;
    }
    const id = response ? (JSON.parse(response.text) as Thing).id : null;
    if (id) history.acknowledgedWithoutKey++;
    made.push({ label, id, isCertain: id !== null });
    return id ? { id, label } : null;
  }

  const newConversation = (label: string) => ({ channelId: "web", externalId: label });

  async function createConversation(): Promise<void> {
    const label = newLabel();
    const customer = random() < 0.3 ? { customer: { externalId: label } } : {};
    const { id } = await change(
      "POST",
      "/conversations",
      JSON.stringify({ ...newConversation(label), ...customer }),
      label,
    );
    history.conversations.push({ label, id, isCertain: true });
    // Created with it, under an id that is not in the response.
    if ("customer" in customer) history.customers.push({ label, id: null, isCertain: true });
    conversations.push({ id, label });
  }

  async function createConversationOnce(): Promise<void> {
    const label = newLabel();
    const made = await changeOnce(
      "/conversations",
      newConversation(label),
      history.conversations,
      label,
    );
    if (made) conversations.push(made);
  }

  async function createConversationAtOnce(): Promise<void> {
    const label = newLabel();
    const request: SentRequest = {
      method: "POST",
      path: "/conversations",
      body: JSON.stringify(newConversation(label)),
      key: `POST ${label}`,
    };
    const responses = await Promise.all(
      Array.from({ length: simultaneous }, () => client.insist(request)),
    );
    const [first] = responses;
    if (!first) return;
    if (responses.some(({ text }) => text !== first.text))
      history.violations.push(`simultaneous requests of ${label} got different responses`);
    const { id } = settle(request, first);
    history.conversations.push({ label, id, isCertain: true });
    conversations.push({ id, label });
  }

  async function postMessage(): Promise<void> {
    const conversation = oneOf(conversations);
    if (!conversation) return createConversation();
    const label = newLabel();
    const body = JSON.stringify({ text: `Message ${label}`, externalId: label });
    const { id } = await change("POST", `/conversations/${conversation.id}/messages`, body, label);
    history.messages.push({ label, id, isCertain: true });
    history.posted.push({ id, label, conversationId: conversation.id, fileId: null });
  }

  async function postMessageWithFile(): Promise<void> {
    const conversation = oneOf(conversations);
    if (!conversation) return createConversation();
    const fileLabel = newLabel();
    const file = { fileName: `${fileLabel}.txt`, content: `File ${fileLabel}` };
    const { id: fileId } = await change("POST", "/files", file, fileLabel);
    history.files.push({ label: fileLabel, id: fileId, isCertain: true });
    const label = newLabel();
    const message = { text: `Message ${label}`, externalId: label, attachments: [fileId] };
    const path = `/conversations/${conversation.id}/messages`;
    const { id } = await change("POST", path, JSON.stringify(message), label);
    history.messages.push({ label, id, isCertain: true });
    history.posted.push({ id, label, conversationId: conversation.id, fileId });
  }

  async function postMessageOnce(): Promise<void> {
    const conversation = oneOf(conversations);
    if (!conversation) return createConversation();
    const label = newLabel();
    const body = { text: `Message ${label}`, externalId: label };
    await changeOnce(`/conversations/${conversation.id}/messages`, body, history.messages, label);
  }

  async function patchConversation(): Promise<void> {
    const conversation = oneOf(conversations);
    if (!conversation) return createConversation();
    const subject = newLabel();
    await change(
      "PATCH",
      `/conversations/${conversation.id}`,
      JSON.stringify({ subject }),
      subject,
    );
    history.subjects.set(conversation.id, subject);
    history.changes.set(conversation.id, (history.changes.get(conversation.id) ?? 0) + 1);
  }

  async function createCustomer(): Promise<void> {
    const label = newLabel();
    const { id } = await change(
      "POST",
      "/customers",
      JSON.stringify({ externalId: label, name: label }),
      label,
    );
    history.customers.push({ label, id, isCertain: true });
    customers.push({ id, label });
  }

  async function patchCustomer(): Promise<void> {
    const customer = oneOf(customers);
    if (!customer) return createCustomer();
    const name = newLabel();
    await change("PATCH", `/customers/${customer.id}`, JSON.stringify({ name }), name);
    history.names.set(customer.id, name);
    history.changes.set(customer.id, (history.changes.get(customer.id) ?? 0) + 1);
  }

  async function uploadDocument(): Promise<void> {
    const label = newLabel();
    const { id } = await change("POST", documentsPath, documentOf(label, random()), label);
    history.documents.push({ label, id, isCertain: true });
    documents.push({ id, label });
  }

  async function deleteDocument(): Promise<void> {
    const document = documents.pop();
    if (!document) return uploadDocument();
    await change("DELETE", `${documentsPath}/${document.id}`, null, document.label);
    history.deletedDocuments.add(document.id);
  }

  /** Subscribed to an event that never happens here, so it is only created and deleted. */
  async function createAndDeleteWebhook(): Promise<void> {
    const label = newLabel();
    const body = JSON.stringify({
      url: webhookUrl,
      events: ["agent.published"],
      metadata: { label },
    });
    const { id } = await change("POST", "/webhooks", body, label);
    await change("DELETE", `/webhooks/${id}`, null, label);
    history.deletedWebhooks.add(id);
  }

  async function replay(): Promise<void> {
    const earlier = oneOf(history.acknowledged);
    if (!earlier) return;
    const response = await client.insist(earlier.request);
    const isSame =
      response.isReplay &&
      response.status === earlier.response.status &&
      response.text === earlier.response.text;
    if (!isSame)
      history.violations.push(
        `a replay of ${earlier.request.key} got ${response.status}: ${response.text}`,
      );
  }

  /** The kinds of changes, with their shares of the load. */
  const steps: [number, () => Promise<void>][] = [
    [0.22, createConversation],
    [0.06, createConversationOnce],
    [0.03, createConversationAtOnce],
    [0.31, postMessage],
    [0.03, postMessageWithFile],
    [0.06, postMessageOnce],
    [0.1, patchConversation],
    [0.05, createCustomer],
    [0.06, patchCustomer],
    [0.025, uploadDocument],
    [0.01, deleteDocument],
    [0.005, createAndDeleteWebhook],
    [0.04, replay],
  ];

  return () => pick(steps, random)();
}

/** As JSON or as a file, and sometimes a file whose content does not match its type. */
function documentOf(label: string, luck: number): string | FormParts {
  const text = `Document ${label}. ${"All that is promised here is tested. ".repeat(20)}`;
  if (luck < 0.4) return JSON.stringify({ name: label, text });
  if (luck < 0.6)
    return {
      fileName: `${label}.html`,
      content: `<!doctype html><title>${label}</title><p>${text}</p>`,
    };
  if (luck < 0.8) return { fileName: `${label}.txt`, content: text };
  return { fileName: `${label}.pdf`, content: `%PDF-1.7\n${label} is damaged` };
}
