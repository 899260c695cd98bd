import { readFile } from "node:fs/promises";
import path from "node:path";
import { wheelName } from "@/components/docs/wheel-name";
import { version } from "@/sdk/src/version";

/** The packages by their addresses, and the files that server/prepare.mjs packs. */
const packages = new Map([
  [`${version}.tgz`, { file: "sdk.tgz", type: "application/gzip" }],
  [wheelName, { file: wheelName, type: "application/zip" }],
]);

/**
 * The clients that belong to this service, as packages. Their content never changes under the same
 * name, so that lock files stay valid.
 */
export async function GET(
  _request: Request,
  { params }: { params: Promise<{ file: string }> },
): Promise<Response> {
  const { file } = await params;
  const found = packages.get(file);
  if (!found)
    return new Response(`There is no ${file} here. The clients of this service are ${version}.\n`, {
      status: 404,
    });
  const packed = path.join(process.cwd(), "dist", found.file);
  const content = await readFile(packed).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (!content)
    return new Response("The client is not packed yet. Run `npm run build` first.\n", {
      status: 404,
    });
  return new Response(new Uint8Array(content), {
    headers: {
      "Content-Type": found.type,
      "Cache-Control": "public, max-age=31536000, immutable",
    },
  });
}
