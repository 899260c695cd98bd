/** Why a reply in a response became no message. */
export const replyProblems = [
  "invalid_json",
  "invalid_reply",
  "too_long",
  "conversation_closed",
  "conversation_deleted",
  "message_redacted",
  "already_replied",
] as const;

export type ReplyProblem = (typeof replyProblems)[number];
