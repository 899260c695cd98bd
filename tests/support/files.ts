import { randomBytes } from "node:crypto";
import { crc32, deflateRawSync } from "node:zlib";

// Creates files to upload.

export const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

export type Content = string | Uint8Array;

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

export const wordXml = (...paragraphs: string[]) =>
  `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs.map(paragraph).join("")}</w:body></w:document>`;

/** The parts that every Word document has in addition to its text. */
export const wordParts = {
  "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  "_rels/.rels": `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
};

/**
 * A zip archive. `declaredSizes` are what its directory says of parts that are larger than that.
 */
export function zipOf(
  parts: Record<string, Content>,
  declaredSizes: Record<string, number> = {},
): Buffer {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(parts)) {
    const bytes = Buffer.from(content as Uint8Array);
    const packed = deflateRawSync(bytes, { level: 9 });
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSizes[name] ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const head = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, Buffer.from(name)]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, tail, Buffer.from(name)]),
    );
    local.push(head, packed);
    offset += head.length + packed.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, ...directory, Buffer.from("PK\u0005\u0006"), end]);
}

type PdfOptions = {
  /** Made as large as this by a stream that no page uses. */
  sizeBytes?: number;
  isEncrypted?: boolean;
};

/** A valid PDF with a page for each text. */
export function pdfOf(
  texts: string[],
  { sizeBytes, isEncrypted = false }: PdfOptions = {},
): Buffer {
  const stream = (content: Uint8Array) =>
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} >>\nstream\n`),
      content,
      Buffer.from("\nendstream"),
    ]);
  const pages = texts.map((_, index) => 4 + 2 * index);
  const objects = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(
      `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] >>`,
    ),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...texts.flatMap((text, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
      ),
      stream(Buffer.from(`BT /F1 12 Tf 40 700 Td (${text}) Tj ET`)),
    ]),
  ];
  // No one knows the password for these.
  const secret = () => `<${randomBytes(32).toString("hex")}>`;
  const encryption = `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${secret()} /U ${secret()} /P -44 >> /ID [<00> <00>]`;

  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const addObject = (content: Buffer) => {
    offsets.push(length);
    add(
      Buffer.concat([Buffer.from(`${offsets.length} 0 obj\n`), content, Buffer.from("\nendobj\n")]),
    );
  };
  for (const object of objects) addObject(object);
  if (sizeBytes) addObject(stream(randomBytes(sizeBytes - length - 1_024)));
  const start = length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(Buffer.from(`xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${table}`));
  const trailer = `trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R ${isEncrypted ? encryption : ""} >>\nstartxref\n${start}\n%%EOF\n`;
  if (sizeBytes) add(Buffer.from(`%${" ".repeat(sizeBytes - length - trailer.length - 2)}\n`));
  add(Buffer.from(trailer));
  return Buffer.concat(parts);
}

/** A picture. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
