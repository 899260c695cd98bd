import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { text } from "@/lib/platform/schema";
import { listQuery } from "@/lib/resources/pages";
import { scopes } from "./scopes";
import { apiKeyStatuses } from "./status";

/** An address or a network in CIDR notation, as `BlockList` takes it. */
const cidr = text(100).refine(isCidr, {
  error: ({ input }) =>
    `must have only IP addresses and networks such as 203.0.113.0/24, not “${String(input).slice(0, 50)}”`,
});

export const maximumNetworks = 50;

/** What can be changed after a key was created. */
const settings = {
  name: text(100).trim().min(1, "must not be empty"),
  scopes: z.array(z.enum(scopes)).min(1, "must have at least one scope").max(scopes.length),
  allowedIps: z
    .array(cidr)
    .max(maximumNetworks, `must have at most ${maximumNetworks} networks`)
    .optional(),
  rateLimitPerMinute: z
    .number("must be a whole number")
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(1_000_000, "must be at most 1,000,000")
    .nullish(),
};

export const createApiKeyInput = z.strictObject({
  ...settings,
  expiresAt: z
    .date("must be a day")
    .refine((date) => date.getTime() > Date.now(), "must be in the future")
    .nullish(),
});

export type CreateApiKey = z.output<typeof createApiKeyInput>;

/** A missing field keeps its value. */
export const updateApiKeyInput = z.strictObject(settings).partial();

export type UpdateApiKey = z.output<typeof updateApiKeyInput>;

/** How long a key stays valid next to the one that replaces it. */
export const overlaps = { now: 0, "1h": 3_600, "24h": 86_400, "7d": 604_800 } as const;

export type Overlap = keyof typeof overlaps;

export const overlap = z.enum(Object.keys(overlaps) as [Overlap, ...Overlap[]]);

export const listApiKeysQuery = listQuery("apiKey", "desc", {
  status: z.enum(apiKeyStatuses).optional(),
  sort: z.enum(["name", "lastUsedAt", "status"]).optional(),
});

export type ListApiKeys = z.output<typeof listApiKeysQuery>;

function isCidr(text: string): boolean {
  try {
    allowList([text]);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError if an entry is not an IP address or network */
export function allowList(entries: string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix, ...rest] = entry.split("/");
    const family = isIP(address);
    const length = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
    if (family === 0 || rest.length > 0 || prefix === "" || !Number.isInteger(length))
      throw new RangeError(`"${entry}" is not an IP address or network`);
    list.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
