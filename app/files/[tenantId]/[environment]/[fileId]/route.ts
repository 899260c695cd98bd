import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { toProblem } from "@/lib/api/problem";
import { downloadHeaders } from "@/lib/files/download-headers";
import { type FileReference, requireValidLink } from "@/lib/files/links";
import { openFile } from "@/lib/files/service";
import { openDocument } from "@/lib/knowledge/documents/service";
import { reader, system } from "@/lib/platform/caller";
import { kindOfId, newId } from "@/lib/resources/ids";
import type { Environment } from "@/prisma/generated/enums";

type Context = { params: Promise<FileReference> };

/** What a link downloads. The signature is the only permission it takes: there may be no session. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const requestId = newId("request");
  const { pathname, searchParams } = new URL(request.url);
  try {
    const reference = await params;
    const validSeconds = requireValidLink(reference, searchParams);
    const { tenantId, environment, fileId } = reference;
    const caller = reader(system({ tenantId, environment: environment as Environment }));
    const find = kindOfId(fileId) === "document" ? openDocument : openFile;
    const { file, open } = await find(caller, fileId);
    const headers = downloadHeaders(file, validSeconds);
    if (request.method === "HEAD") return new Response(null, { headers });
    const body = Readable.toWeb(await open()) as ReadableStream;
    return new Response(body as BodyInit, { headers });
  } catch (error) {
    const { status, body, headers } = toProblem(error, pathname, requestId);
    return new Response(body, {
      status,
      headers: {
        ...headers,
        "Content-Type": "application/problem+json",
        "Cache-Control": "no-store",
        "X-Request-Id": requestId,
      },
    });
  }
}
