import { z } from "zod";
import {
  createdAt,
  environment,
  integer,
  nameText,
  storedText,
  timestamp,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";

export const maximumFileBytes = 20 * 1_024 ** 2;

const described = {
  name: "The name that the file is downloaded with.",
  text: "The content of a text file, in place of an upload.",
};
const name = nameText(255).meta({ description: described.name });

/** The field next to a file. Without it, the file keeps its own name. */
export const fileFields = z.strictObject({ name: name.optional() });

/** The other way to create a file: its text as JSON. */
export const createTextFileBody = z.strictObject({
  name,
  text: z.string().min(1).meta({ description: described.text, maxLength: 262_144 }),
});

/** What a message repeats of its file, and what every answer says of it. */
const storedFields = {
  name: storedText(255, described.name),
  contentType: storedText(
    100,
    "The type by the file's content, whatever its name says. `application/octet-stream` if it is none that Parlance recognizes.",
  ),
  sizeBytes: integer("The file's size, in bytes.", { maximum: maximumFileBytes }),
};

const linkFields = {
  url: storedText(
    2_048,
    "A link to download the file, for anyone who has it. PNG, JPEG, GIF and WebP images can be shown in a page. Null in events, because a stored link would expire.",
  ).nullable(),
  urlExpiresAt: timestamp.nullable().meta({
    description: "When the link stops working: 5 minutes after the response. Null without a link.",
  }),
};

export const file = z
  .object({
    id: idOf("file"),
    environment,
    ...storedFields,
    sha256: z.string().meta({
      description: "The file's SHA-256 digest, in hexadecimal.",
      pattern: "^[0-9a-f]{64}$",
      maxLength: 64,
    }),
    messageId: idOf("message")
      .nullable()
      .meta({ description: "The message that the file is attached to." }),
    ...linkFields,
    createdAt,
  })
  .meta({
    id: "File",
    description: "A file to attach to a message. Deleted after 24 hours if no message has it.",
  });

export const attachment = z
  .object({ id: idOf("file"), ...storedFields, ...linkFields })
  .meta({ id: "Attachment", description: "A file of a message." });

export const fileParams = z.object({ fileId: idParameter("file") });

export type FileFields = z.output<typeof fileFields>;
export type File = z.input<typeof file>;
export type Attachment = z.input<typeof attachment>;

/** What the message's row stores of an attachment. */
export type StoredAttachment = Pick<Attachment, "id" | keyof typeof storedFields>;
