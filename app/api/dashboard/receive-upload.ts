import type { z } from "zod";
import { readUpload, type Upload } from "@/lib/api/read-upload";
import { check } from "@/lib/api/validate";
import { type StoredFile, withStoredFile } from "@/lib/platform/blobs/service";
import { type Caller, type Identity, mutate } from "@/lib/platform/caller";
import { invalidRequest } from "@/lib/platform/errors";

/**
 * Uploads a file from the dashboard, in the same way as the API but for a signed-in user. Its routes
 * are not server actions, because those would hold the whole body in memory.
 */
export async function receiveUpload<Fields extends z.ZodType, Result>(
  request: Request,
  identity: Identity,
  format: Upload,
  fields: Fields,
  create: (caller: Caller, fields: z.output<Fields>, file: StoredFile) => Promise<Result>,
): Promise<Result> {
  const { file, value, schema, issues } = await readUpload(request, format, {
    formSchema: fields,
    onBytes: () => {},
  });
  try {
    const checked = check(schema ?? fields, value, "body");
    const found = [...issues, ...checked.issues];
    if (found.length > 0 || !file) throw invalidRequest(found);
    return await withStoredFile(identity.partition, file, (stored) =>
      mutate(identity, (caller) => create(caller, fields.parse(checked.output), stored)),
    );
  } finally {
    await file?.incoming.discard();
  }
}
