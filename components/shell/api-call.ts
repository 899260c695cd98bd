import type { Operations } from "@/sdk/src/generated/types";

/** The request of the API that does what a form does, as the form is filled in now. */
export type ApiCall = {
  operationId: keyof Operations;
  /** The ids in the path, by their names there. */
  ids?: Record<string, string>;
  /** An author of the type `USER` in it becomes the signed-in user. */
  body: object;
  /** The name of the file that is uploaded with it. */
  file?: string;
};

/** The same request as code. */
export type ApiCallSamples = {
  scope: string;
  samples: { name: string; code: string }[];
};
