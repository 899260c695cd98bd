import * as account from "@/app/v1/public/account/route";
import * as agent from "@/app/v1/public/agents/[agentId]/route";
import * as agents from "@/app/v1/public/agents/route";
import * as message from "@/app/v1/public/conversations/[conversationId]/messages/[messageId]/route";
import * as messages from "@/app/v1/public/conversations/[conversationId]/messages/route";
import * as conversation from "@/app/v1/public/conversations/[conversationId]/route";
import * as conversations from "@/app/v1/public/conversations/route";
import * as customer from "@/app/v1/public/customers/[customerId]/route";
import * as customers from "@/app/v1/public/customers/route";
import * as events from "@/app/v1/public/events/route";
import * as webhook from "@/app/v1/public/webhooks/[webhookId]/route";
import * as webhooks from "@/app/v1/public/webhooks/route";
import type { Operation } from "./operation";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Every path of the API and what its route file exports. The API's server and its documents are made from this list. */
export const routes: Record<`/v1/public/${string}`, Partial<Record<Method, Operation>>> = {
  "/v1/public/conversations": conversations,
  "/v1/public/conversations/{conversationId}": conversation,
  "/v1/public/conversations/{conversationId}/messages": messages,
  "/v1/public/conversations/{conversationId}/messages/{messageId}": message,
  "/v1/public/customers": customers,
  "/v1/public/customers/{customerId}": customer,
  "/v1/public/agents": agents,
  "/v1/public/agents/{agentId}": agent,
  "/v1/public/webhooks": webhooks,
  "/v1/public/webhooks/{webhookId}": webhook,
  "/v1/public/events": events,
  "/v1/public/account": account,
};
