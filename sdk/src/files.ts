import type { Caller } from "./call";
import type { CreateFileBody } from "./generated/types";
import type { RequestOptions } from "./transport";
import type { UploadFileBody } from "./upload";

export const filesOf = ({ call }: Caller) => ({
  /**
   * Uploads a file of any type, or text. Pass its id in `attachments` when you post a message. A
   * file that no message has after 24 hours is deleted.
   */
  create: (body: Omit<UploadFileBody, "metadata"> | CreateFileBody, options?: RequestOptions) => {
    const input = "file" in body ? { upload: body } : { body };
    return call("POST /files", input, options);
  },

  /** With a new link to download it, which is valid for 5 minutes. */
  get: (fileId: string, options?: RequestOptions) =>
    call("GET /files/{fileId}", { path: { fileId } }, options),
});
