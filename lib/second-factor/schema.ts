import { z } from "zod";
import { text } from "@/lib/platform/schema";

export const newPasskeyInput = z.strictObject({
  name: text(100).trim().min(1),
  /** From the browser. The library that verifies it also parses it. */
  response: z.looseObject({ id: text(1_400) }),
});
