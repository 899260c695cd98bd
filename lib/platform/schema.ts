import { z } from "zod";

/**
 * A string of at most this many characters: Unicode code points, as zod and JSON Schema count them.
 * The length is checked first, and a longer string is not processed any further: normalizing can make
 * a string 18 times as long, and splitting or spreading it takes many times its memory.
 */
export const text = (maximum: number, error?: string) =>
  z.string().max(maximum, { abort: true, ...(error && { error }) });

/** A time in a response: RFC 3339, UTC, milliseconds. */
export const timestamp = z
  .string()
  .meta({ format: "date-time", maxLength: 24, examples: ["2026-01-31T09:30:00.000Z"] });

export const createdAt = timestamp.meta({ description: "When it was created." });
export const updatedAt = timestamp.meta({ description: "When it was last changed." });

export const environment = z.enum(["live", "test"]).meta({
  id: "Environment",
  description: "`live` is billed. `test` is free, and its data is isolated from live.",
});

/** A string in a response. Its length was checked when it was stored; here it is documented. */
export const storedText = (maximum: number, description: string) =>
  z.string().meta({ maxLength: maximum, description });

/** A whole number in a response. Its bounds are documented, not checked. */
export const integer = (
  description: string,
  { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = {},
) => z.number().int().meta({ description, minimum, maximum });

/** A name, stored as it was sent. It must not consist of white space only. */
export const nameText = (maximum: number) =>
  text(maximum)
    .check(({ value, issues }) => {
      if (value.trim() === "")
        issues.push({
          code: "too_small",
          origin: "string",
          minimum: 1,
          inclusive: true,
          input: value,
          message: "must not be blank",
        });
    })
    .meta({ minLength: 1, pattern: "\\S" });

/**
 * A list of distinct items. A repeated item is refused: the service stores what was sent, and does
 * not drop items silently.
 */
export const distinct = <Item extends z.ZodType<string | null>>(items: z.ZodArray<Item>) =>
  items
    .superRefine((list, context) => {
      for (const [index, item] of list.entries()) {
        if (list.indexOf(item) === index) continue;
        context.addIssue({
          code: "custom",
          path: [index],
          params: { code: "repeated" },
          message: "must not be repeated",
        });
      }
    })
    .meta({ uniqueItems: true });

/** A time in a request: RFC 3339 with `Z` or an offset. */
export const instant = z.iso
  .datetime({ offset: true, abort: true })
  .meta({ maxLength: 40 })
  .refine((text) => text >= "1970" && text < "9999", "must be between the years 1970 and 9998")
  .transform((text) => new Date(text));

/**
 * The same, or the value of a browser's date and time field. That has no offset and is read as UTC.
 */
export const instantOrMinute = z
  .string()
  .transform((text) => (/^[0-9-]+T\d{2}:\d{2}$/.test(text) ? `${text}:00Z` : text))
  .pipe(instant);

/** `OPEN,PENDING`: any of them. */
export const commaList = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  text(Math.max(500, values.join(",").length))
    .transform((text) => [...new Set(text.split(","))])
    .pipe(z.array(z.enum(values)).min(1))
    .meta({
      type: "array",
      items: { type: "string", enum: values },
      maxItems: values.length,
      uniqueItems: true,
      maxLength: undefined,
    });

/** Where words are in a field named `text`, which has at most `maximum` characters. */
export const textRanges = (maximum: number, description: string) =>
  z
    .array(
      z
        .array(integer("A position in `text`, in UTF-16 code units.", { maximum }))
        .length(2)
        .meta({ description: "Start and end of one range; the end is exclusive." }),
    )
    .meta({ description, examples: [[[12, 16]]], maxItems: 1_000 });
