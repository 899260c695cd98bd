export type { ApiPromise, ListPromise, Page } from "./answers";
export * from "./errors";
export type * from "./generated/types";
export { Parlance, type ParlanceOptions } from "./parlance";
export type { Answer, RequestOptions, Wait } from "./transport";
export type { FileSource, UploadFileBody } from "./upload";
