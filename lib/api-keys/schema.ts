import { BlockList, isIP } from "node:net";
import { z } from "zod";
import { scopes } from "./scopes";

/** An address or a network in CIDR notation, as `BlockList` takes it. */
const cidr = z.string().refine(isCidr, "give an IP address or a network such as 203.0.113.0/24");

export const createApiKeyInput = z.strictObject({
  name: z.string().trim().min(1, "give the key a name").max(100),
  scopes: z.array(z.enum(scopes)).min(1, "choose at least one scope").max(scopes.length),
  expiresAt: z
    .date()
    .refine((date) => date.getTime() > Date.now(), "choose a time in the future")
    .nullish(),
  allowedIps: z.array(cidr).max(50).optional(),
  rateLimitPerMinute: z.number().int().min(1).max(1_000_000).nullish(),
});

export type CreateApiKey = z.output<typeof createApiKeyInput>;

function isCidr(text: string): boolean {
  try {
    allowList([text]);
    return true;
  } catch {
    return false;
  }
}

/** @throws RangeError where an entry is neither an address nor a network. */
export function allowList(entries: string[]): BlockList {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = "", prefix, ...rest] = entry.split("/");
    const family = isIP(address);
    const length = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix);
    if (family === 0 || rest.length > 0 || prefix === "" || !Number.isInteger(length))
      throw new RangeError(`"${entry}" is no address or network`);
    list.addSubnet(address, length, family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}
