import { readFile } from "node:fs/promises";
import path from "node:path";
import { version } from "@/sdk/src/version";

/**
 * The client that belongs to this service, as a package. server/prepare.mjs packs it. Its content
 * never changes under the same name, so that lock files stay valid.
 */
export async function GET(
  _request: Request,
  { params }: { params: Promise<{ file: string }> },
): Promise<Response> {
  const { file } = await params;
  if (file !== `${version}.tgz`)
    return new Response(`There is no ${file} here. The client of this service is ${version}.\n`, {
      status: 404,
    });
  const packed = path.join(process.cwd(), "dist", "sdk.tgz");
  const tarball = await readFile(packed).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (!tarball)
    return new Response("The client is not packed yet. Run `npm run build` first.\n", {
      status: 404,
    });
  return new Response(new Uint8Array(tarball), {
    headers: {
      "Content-Type": "application/gzip",
      "Cache-Control": "public, max-age=31536000, immutable",
    },
  });
}
