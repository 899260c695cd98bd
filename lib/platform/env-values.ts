import { createHash } from "node:crypto";
import { z } from "zod";

// The kinds of values in the environment. Messages say what to set.

export const commaList = (text: string) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

export const retrySchedule = (defaultSeconds: string) =>
  z
    .string()
    .default(defaultSeconds)
    .transform((text) => commaList(text).map(Number))
    .refine(
      (seconds) =>
        seconds.length === 7 && seconds.every((value) => Number.isFinite(value) && value >= 0),
      { message: "give seven numbers of seconds separated by commas, for example 1,1,2,2,3,3,5" },
    );

export const secretKeys = z
  .string({
    message: 'give at least one master key as "<id>:<base64 of 32 bytes>", the current one first',
  })
  .transform((text) =>
    commaList(text).map((entry) => {
      const colon = entry.indexOf(":");
      return {
        name: entry.slice(0, Math.max(colon, 0)),
        key: Buffer.from(entry.slice(colon + 1), "base64"),
      };
    }),
  )
  .refine(
    (keys) =>
      keys.length > 0 &&
      keys.every(({ name, key }) => /^[a-z0-9]{1,16}$/.test(name) && key.length === 32),
    {
      message:
        'each entry is "<id>:<base64 of 32 bytes>", ids of 1 to 16 lower-case letters and digits, separated by commas',
    },
  )
  // The id includes a fingerprint of the key, so that two keys with the same name are never
  // confused.
  .transform((keys) => keys.map(({ name, key }) => ({ id: `${name}-${fingerprint(key)}`, key })));

const fingerprint = (key: Buffer) =>
  createHash("sha256").update("parlance master key").update(key).digest("hex").slice(0, 8);

export const auditKeys = z
  .string()
  .transform((text) => commaList(text).map((entry) => Buffer.from(entry, "base64")))
  .refine((keys) => keys.length > 0 && keys.every((key) => key.length === 32), {
    message:
      "each key is the base64 of 32 bytes, for example from `openssl rand -base64 32`; the current one first, separated by commas",
  });

export const wholeNumber = (minimum: number, maximum: number) => {
  const message = `give a whole number from ${minimum} to ${maximum}`;
  return z.coerce
    .number({ message })
    .int({ message })
    .min(minimum, { message })
    .max(maximum, { message });
};

export const flag = z.stringbool({ error: "give true or false" });

const shareMessage = "give a number from 0 to 1";
export const share = z.coerce
  .number({ message: shareMessage })
  .min(0, { message: shareMessage })
  .max(1, { message: shareMessage });

export const httpUrl = z
  .url({ protocol: /^https?$/, message: "give an http or https address" })
  .transform((url) => url.replace(/\/+$/, ""));
