import type { Caller } from "./call";
import type {
  CreateConversationBody,
  ListConversationsQuery,
  ListMessagesQuery,
  PostMessageBody,
  SearchConversationsQuery,
  UpdateConversationBody,
} from "./generated/types";
import type { RequestOptions } from "./transport";

export const conversationsOf = ({ call, list }: Caller) => ({
  /** Newest first. */
  list: (query?: ListConversationsQuery, options?: RequestOptions) =>
    list("GET /conversations", { query }, options),

  /** Best first, or newest first with `sort: "newest"`. */
  search: (query: SearchConversationsQuery, options?: RequestOptions) =>
    list("GET /conversations/search", { query }, options),

  /** Optionally with a first message. */
  create: (body: CreateConversationBody, options?: RequestOptions) =>
    call("POST /conversations", { body }, options),

  get: (conversationId: string, options?: RequestOptions) =>
    call("GET /conversations/{conversationId}", { path: { conversationId } }, options),

  /** Changes the given fields. Null clears a field, and deletes a key of `metadata`. */
  update: (conversationId: string, body: UpdateConversationBody, options?: RequestOptions) =>
    call("PATCH /conversations/{conversationId}", { path: { conversationId }, body }, options),

  /** Deletes its messages, too. */
  delete: (conversationId: string, options?: RequestOptions) =>
    call("DELETE /conversations/{conversationId}", { path: { conversationId } }, options),

  messages: {
    /** Oldest first. */
    list: (conversationId: string, query?: ListMessagesQuery, options?: RequestOptions) =>
      list(
        "GET /conversations/{conversationId}/messages",
        { path: { conversationId }, query },
        options,
      ),

    /** The author is the customer, unless `author` is set. `attachments` are ids of `files.create`. */
    create: (conversationId: string, body: PostMessageBody, options?: RequestOptions) =>
      call(
        "POST /conversations/{conversationId}/messages",
        { path: { conversationId }, body },
        options,
      ),

    get: (conversationId: string, messageId: string, options?: RequestOptions) =>
      call(
        "GET /conversations/{conversationId}/messages/{messageId}",
        { path: { conversationId, messageId } },
        options,
      ),

    /** Redacts it: removes its text, metadata and files. Returns the message, which keeps its place. */
    delete: (conversationId: string, messageId: string, options?: RequestOptions) =>
      call(
        "DELETE /conversations/{conversationId}/messages/{messageId}",
        { path: { conversationId, messageId } },
        options,
      ),
  },
});
