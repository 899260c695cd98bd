export * from "./errors";
export type { StreamOptions } from "./event-stream";
export type * from "./generated/types";
export { Parlance, type ParlanceOptions } from "./parlance";
export type { ApiPromise, ListPromise, Page } from "./responses";
export type {
  ApiResult,
  ReceivedResponse,
  RequestOptions,
  SentRequest,
  Wait,
} from "./transport";
export type { FileSource, UploadFileBody } from "./upload";
