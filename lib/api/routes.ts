import * as account from "@/app/v1/public/account/route";
import * as agent from "@/app/v1/public/agents/[agentId]/route";
import * as agentVersions from "@/app/v1/public/agents/[agentId]/versions/route";
import * as copyAgent from "@/app/v1/public/agents/copy-from-test/route";
import * as agents from "@/app/v1/public/agents/route";
import * as message from "@/app/v1/public/conversations/[conversationId]/messages/[messageId]/route";
import * as messages from "@/app/v1/public/conversations/[conversationId]/messages/route";
import * as conversation from "@/app/v1/public/conversations/[conversationId]/route";
import * as conversations from "@/app/v1/public/conversations/route";
import * as conversationSearch from "@/app/v1/public/conversations/search/route";
import * as eraseCustomer from "@/app/v1/public/customers/[customerId]/erase/route";
import * as customer from "@/app/v1/public/customers/[customerId]/route";
import * as customerByExternalId from "@/app/v1/public/customers/by-external-id/[externalId]/route";
import * as customers from "@/app/v1/public/customers/route";
import * as erasure from "@/app/v1/public/erasures/[erasureId]/route";
import * as eventTypes from "@/app/v1/public/event-types/route";
import * as event from "@/app/v1/public/events/[eventId]/route";
import * as events from "@/app/v1/public/events/route";
import * as streamOfEvents from "@/app/v1/public/events/stream/route";
import * as file from "@/app/v1/public/files/[fileId]/route";
import * as files from "@/app/v1/public/files/route";
import * as searchOfKnowledge from "@/app/v1/public/knowledge/search/route";
import * as knowledgeDocumentFile from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/documents/[documentId]/file/route";
import * as knowledgeDocumentRetry from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/documents/[documentId]/retry/route";
import * as knowledgeDocument from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/documents/[documentId]/route";
import * as knowledgeDocuments from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/documents/route";
import * as knowledgeBase from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/route";
import * as knowledgeSearch from "@/app/v1/public/knowledge-bases/[knowledgeBaseId]/search/route";
import * as knowledgeBases from "@/app/v1/public/knowledge-bases/route";
import * as members from "@/app/v1/public/members/route";
import * as requestLog from "@/app/v1/public/request-logs/[requestId]/route";
import * as requestLogs from "@/app/v1/public/request-logs/route";
import * as usage from "@/app/v1/public/usage/route";
import * as resend from "@/app/v1/public/webhooks/[webhookId]/deliveries/[deliveryId]/resend/route";
import * as delivery from "@/app/v1/public/webhooks/[webhookId]/deliveries/[deliveryId]/route";
import * as deliveries from "@/app/v1/public/webhooks/[webhookId]/deliveries/route";
import * as recover from "@/app/v1/public/webhooks/[webhookId]/recover/route";
import * as replay from "@/app/v1/public/webhooks/[webhookId]/replay/route";
import * as rotateSecret from "@/app/v1/public/webhooks/[webhookId]/rotate-secret/route";
import * as webhook from "@/app/v1/public/webhooks/[webhookId]/route";
import * as testWebhook from "@/app/v1/public/webhooks/[webhookId]/test/route";
import * as webhooks from "@/app/v1/public/webhooks/route";
import type { Operation } from "./operation";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Every path of the API and what its route file exports. The API's server and its documentation are
 * derived from this list.
 */
export const routes: Record<`/v1/public/${string}`, Partial<Record<Method, Operation>>> = {
  "/v1/public/conversations": conversations,
  "/v1/public/conversations/search": conversationSearch,
  "/v1/public/conversations/{conversationId}": conversation,
  "/v1/public/conversations/{conversationId}/messages": messages,
  "/v1/public/conversations/{conversationId}/messages/{messageId}": message,
  "/v1/public/files": files,
  "/v1/public/files/{fileId}": file,
  "/v1/public/customers": customers,
  "/v1/public/customers/{customerId}": customer,
  "/v1/public/customers/by-external-id/{externalId}": customerByExternalId,
  "/v1/public/customers/{customerId}/erase": eraseCustomer,
  "/v1/public/erasures/{erasureId}": erasure,
  "/v1/public/agents": agents,
  "/v1/public/agents/copy-from-test": copyAgent,
  "/v1/public/agents/{agentId}": agent,
  "/v1/public/agents/{agentId}/versions": agentVersions,
  "/v1/public/knowledge-bases": knowledgeBases,
  "/v1/public/knowledge-bases/{knowledgeBaseId}": knowledgeBase,
  "/v1/public/knowledge-bases/{knowledgeBaseId}/documents": knowledgeDocuments,
  "/v1/public/knowledge-bases/{knowledgeBaseId}/documents/{documentId}": knowledgeDocument,
  "/v1/public/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/file": knowledgeDocumentFile,
  "/v1/public/knowledge-bases/{knowledgeBaseId}/documents/{documentId}/retry":
    knowledgeDocumentRetry,
  "/v1/public/knowledge-bases/{knowledgeBaseId}/search": knowledgeSearch,
  "/v1/public/knowledge/search": searchOfKnowledge,
  "/v1/public/webhooks": webhooks,
  "/v1/public/webhooks/{webhookId}": webhook,
  "/v1/public/webhooks/{webhookId}/rotate-secret": rotateSecret,
  "/v1/public/webhooks/{webhookId}/test": testWebhook,
  "/v1/public/webhooks/{webhookId}/deliveries": deliveries,
  "/v1/public/webhooks/{webhookId}/deliveries/{deliveryId}": delivery,
  "/v1/public/webhooks/{webhookId}/deliveries/{deliveryId}/resend": resend,
  "/v1/public/webhooks/{webhookId}/recover": recover,
  "/v1/public/webhooks/{webhookId}/replay": replay,
  "/v1/public/events": events,
  "/v1/public/events/stream": streamOfEvents,
  "/v1/public/events/{eventId}": event,
  "/v1/public/event-types": eventTypes,
  "/v1/public/members": members,
  "/v1/public/request-logs": requestLogs,
  "/v1/public/request-logs/{requestId}": requestLog,
  "/v1/public/usage": usage,
  "/v1/public/account": account,
};
