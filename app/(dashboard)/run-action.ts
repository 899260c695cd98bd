import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { check } from "@/lib/api/validate";
import { dashboardPlace, type Place } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { type ActionResult, errorOfField, type ProofRequest } from "@/lib/platform/action-result";
import { type Caller, mutate } from "@/lib/platform/caller";
import { AppError, fieldOf, invalidRequest } from "@/lib/platform/errors";
import { RoleMissing } from "@/lib/platform/roles";
import { ProofNeeded } from "@/lib/step-up/proof";
import { AddressUnverified } from "@/lib/step-up/protected-actions";

/**
 * The first two arguments of every server action: the browser sends them, so they are believed no
 * more than a path is.
 */
export type ActionPlace = { tenant: string; environment: string };

/**
 * What every server action of the dashboard does: it finds out who acts and in which role, parses
 * what was sent with the same kind of schema as the API, runs `work` as one transaction, and has
 * the pages of this environment drawn anew. What the person can mend comes back as a sentence;
 * anything else flies, and Next shows the error page.
 */
export async function act<Schema extends z.ZodType, Value = null>(
  { tenant, environment }: ActionPlace,
  schema: Schema,
  sent: unknown,
  work: (caller: Caller, input: z.output<Schema>, place: Place) => Promise<Value>,
): Promise<ActionResult<Value>> {
  const place = await dashboardPlace(tenant, environment);
  try {
    await throttleDashboard(place.user.id, place.tenant.id);
    const input = parse(schema, sent);
    const value = await mutate(place.identity, (caller) => work(caller, input, place));
    revalidatePath(`/${place.tenant.slug}/${place.environment}`, "layout");
    return { outcome: "done", value };
  } catch (error) {
    return toRefusal(error);
  }
}

/**
 * The same for work that may call for a fresh proof (lib/step-up/proof.ts). Components ask for it
 * by `useProof`.
 */
export async function actWithProof<Schema extends z.ZodType, Value = null>(
  ...parameters: Parameters<typeof act<Schema, Value>>
): Promise<ActionResult<Value> | ProofRequest> {
  const [place, schema, sent, work] = parameters;
  let needed: ProofNeeded | undefined;
  const result = await act(place, schema, sent, (...given) =>
    work(...given).catch((error) => {
      if (error instanceof ProofNeeded) needed = error;
      throw error;
    }),
  );
  return needed ? { outcome: "proof-needed", what: needed.what } : result;
}

/** @throws AppError `validation` with all that is wrong, as the API would answer it. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  location: "body" | "query" = "body",
): z.output<Schema> {
  const { output, issues } = check(schema, sent, location);
  if (issues.length > 0) throw invalidRequest(issues);
  return output as z.output<Schema>;
}

/** What was filled in, by name; what was left empty is not there. */
export function filledFields(form: FormData): Record<string, string> {
  const texts = [...form.entries()].filter(
    ([name, value]) => typeof value === "string" && value.trim() !== "" && !name.startsWith("$"),
  );
  return Object.fromEntries(texts) as Record<string, string>;
}

/** The same without white space at the ends, which the API would store as part of a name. */
export function trimmedFields(form: FormData): Record<string, string> {
  return Object.fromEntries(
    Object.entries(filledFields(form)).map(([name, text]) => [name, text.trim()]),
  );
}

/** @throws whatever is no refusal */
export function toRefusal(error: unknown): ActionResult<never> {
  if (error instanceof RoleMissing || error instanceof AddressUnverified)
    return { outcome: "refused", message: error.detail, errors: {} };
  if (error instanceof ProofNeeded)
    return { outcome: "refused", message: `Sign in again to ${error.what}.`, errors: {} };
  if (!(error instanceof AppError)) throw error;
  const found = (error.members.errors ?? []).map(
    (issue) => [fieldOf(issue), errorOfField(issue.predicate)] as const,
  );
  const { existingId } = error.members;
  // Reversed, so that the first issue of a field wins.
  return {
    outcome: "refused",
    message: error.detail,
    errors: Object.fromEntries(found.reverse()),
    ...(existingId && { existingId }),
  };
}
