import { revalidatePath } from "next/cache";
import type { z } from "zod";
import { check } from "@/lib/api/validate";
import { dashboardPlace, type Place } from "@/lib/auth/dashboard-caller";
import { currentDevice, requireUser } from "@/lib/auth/require-user";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { type ActionResult, errorOfField, type ProofRequest } from "@/lib/platform/action-result";
import { type Caller, mutate, reader } from "@/lib/platform/caller";
import { AppError, fieldOf, invalidRequest } from "@/lib/platform/errors";
import { RoleMissing } from "@/lib/platform/roles";
import type { Device, SignedInUser } from "@/lib/sessions/service";
import { ProofNeeded } from "@/lib/step-up/proof";
import { AddressUnverified } from "@/lib/step-up/protected-actions";

/**
 * The first two arguments of every server action. The browser sends them, so they are checked like
 * the parts of a path.
 */
export type ActionPlace = { tenant: string; environment: string };

type Work<Schema extends z.ZodType, Value> = (
  caller: Caller,
  input: z.output<Schema>,
  place: Place,
) => Promise<Value>;

/**
 * Runs a server action that changes something: identifies the user and their role, parses the input
 * with the same kind of schema as the API, runs `work` in one transaction, and revalidates the pages
 * of this environment. Errors that the user can fix are returned as sentences; all others are
 * thrown, and Next shows the error page.
 */
export async function act<Schema extends z.ZodType, Value = null>(
  actionPlace: ActionPlace,
  schema: Schema,
  sent: unknown,
  work: Work<Schema, Value>,
): Promise<ActionResult<Value>> {
  return actWithFiles(actionPlace, schema, sent, (place, input) =>
    mutate(place.identity, (caller) => work(caller, input, place)),
  );
}

/** Like `act`, for work that stores files before it runs its transaction itself. */
export async function actWithFiles<Schema extends z.ZodType, Value = null>(
  actionPlace: ActionPlace,
  schema: Schema,
  sent: unknown,
  work: (place: Place, input: z.output<Schema>) => Promise<Value>,
): Promise<ActionResult<Value>> {
  return run(actionPlace, schema, sent, async (place, input) => {
    const value = await work(place, input);
    revalidatePath(`/${place.tenant.slug}/${place.environment}`, "layout");
    return value;
  });
}

/** Runs a server action that only reads: like `act`, without a transaction or a revalidation. */
export async function query<Schema extends z.ZodType, Value>(
  actionPlace: ActionPlace,
  schema: Schema,
  sent: unknown,
  work: Work<Schema, Value>,
): Promise<ActionResult<Value>> {
  return run(actionPlace, schema, sent, (place, input) =>
    work(reader(place.identity), input, place),
  );
}

async function run<Schema extends z.ZodType, Value>(
  { tenant, environment }: ActionPlace,
  schema: Schema,
  sent: unknown,
  work: (place: Place, input: z.output<Schema>) => Promise<Value>,
): Promise<ActionResult<Value>> {
  const place = await dashboardPlace(tenant, environment);
  try {
    await throttleDashboard(place.user.id, place.tenant.id);
    return { outcome: "done", value: await work(place, parse(schema, sent)) };
  } catch (error) {
    return toRefusal(error);
  }
}

/**
 * Like `act`, for work that may require a recent proof of identity (lib/step-up/proof.ts).
 * Components ask the user for it with `useProof`.
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

/**
 * Runs a server action that changes the signed-in user's own account, in all of their
 * organizations. It may require a recent proof of identity.
 */
export async function actOnAccount<Value>(
  work: (user: SignedInUser, device: Device) => Promise<Value>,
): Promise<ActionResult<Value> | ProofRequest> {
  const user = await requireUser();
  try {
    await throttleDashboard(user.id, null);
    return { outcome: "done", value: await work(user, await currentDevice()) };
  } catch (error) {
    if (error instanceof ProofNeeded) return { outcome: "proof-needed", what: error.what };
    return toRefusal(error);
  }
}

/** @throws AppError `validation` with every issue, as in a response of the API. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  location: "body" | "query" = "body",
): z.output<Schema> {
  const { output, issues } = check(schema, sent, location);
  if (issues.length > 0) throw invalidRequest(issues);
  return output as z.output<Schema>;
}

/** @throws errors that the user cannot fix */
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
