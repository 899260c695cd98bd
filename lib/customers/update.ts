import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import { eventValues, newEvent, recordEvent } from "@/lib/events/record-event";
import { type Caller, type Identity, wake } from "@/lib/platform/caller";
import { changedFields, previousAttributes, timeOfChange } from "@/lib/platform/changes";
import { runSql } from "@/lib/platform/db";
import { erased, invalidBody, unlessRefused } from "@/lib/platform/errors";
import { joinChanges, laneIn } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import {
  type Customer,
  identifyingFields,
  type UpdateCustomer,
  type UpsertCustomer,
} from "./schema";
import { searchWords } from "./search-words";
import {
  type CustomerRow,
  findByExternalIdStatement,
  lockByExternalIdStatement,
} from "./service.sql";
import { externalIdTaken, findByExternalId, insertCustomer, toCustomer } from "./stored-customer";
import { findToUpdateStatement, updateCustomerStatement } from "./update.sql";

/** @throws AppError `conflict`, `gone`, `validation` */
export async function updateCustomer(caller: Caller, id: string, patch: UpdateCustomer) {
  requireRole(caller, "MEMBER", "change customers");
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  // Concurrent patches must not undo each other's metadata.
  await lockRow(caller, "customers", id);
  const before = await caller.db.customer.findUnique({ where });
  if (!before) throw notFound("customer", id);
  return changeCustomer(caller, toCustomer(before), patch);
}

/**
 * Creates the customer with this externalId, or changes the one that has it. Of concurrent calls one
 * creates it. The others wait, and then change what it created.
 */
export async function upsertCustomer(
  caller: Caller,
  externalId: string,
  patch: UpsertCustomer,
): Promise<Customer & { isNew: boolean }> {
  requireRole(caller, "MEMBER", "create and change customers");
  const metadata = mergeMetadata({}, patch.metadata);
  // Repeats only if another request creates the customer between the two statements.
  for (;;) {
    const statement = lockByExternalIdStatement({ ...caller.partition, externalId });
    const [before] = await runSql<CustomerRow>(statement, caller);
    if (before)
      return { ...(await changeCustomer(caller, toCustomer(before), patch)), isNew: false };
    caller.requireMatch?.(null);
    const created = await insertCustomer(caller, { ...patch, externalId, metadata });
    if (created) return { ...created, isNew: true };
  }
}

/** @param before the customer, whose row the transaction has locked */
async function changeCustomer(
  caller: Caller,
  before: Customer,
  patch: UpdateCustomer,
): Promise<Customer> {
  caller.requireMatch?.(before);
  const after = patched(before, patch);
  const changed = changedFields(before, after);
  if (changed.length === 0) return before;
  const isTaken =
    after.externalId !== before.externalId && (await findByExternalId(caller, after.externalId));
  if (isTaken) throw await externalIdTaken(caller, after.externalId);

  const at = timeOfChange(before.updatedAt);
  const row = await caller.db.customer.update({
    where: { tenantId_environment_id: { ...caller.partition, id: before.id } },
    data: { ...changeableColumns(after), updatedAt: at },
  });
  const updated = toCustomer(row);
  await recordEvent(caller, "customer.updated", updated, {
    previousAttributes: previousAttributes(before, changed),
    at,
  });
  return updated;
}

const findToUpdate = joinLookups(findToUpdateStatement);
const findByExternalIdToUpdate = joinLookups(findByExternalIdStatement);
/** The changes of a row have one statement at a time, because each makes the version that the next one needs. */
const writeInOneStatement = joinChanges(updateCustomerStatement, {
  laneOf: (values) => laneIn(values, values.id),
});

/**
 * The same as `updateCustomer` or, with an externalId, as `upsertCustomer`, together with its
 * idempotency record, in one statement, which concurrent changes share. The customer is read first
 * without a lock, and changed only if it is still the same.
 * @returns the response's body, or null if the change was not made: the patch is refused, names an
 * externalId, or changes nothing but has a key to record, the key is taken, or the customer does not
 * exist or was changed meanwhile. Then call the other function, which finds out why.
 */
export async function updateCustomerInOneStatement(
  identity: Identity,
  customer: { id: string } | { externalId: string },
  patch: UpdateCustomer,
  record: IdempotencyRecord | null,
  serialize: Serialize<Customer>,
): Promise<string | null> {
  if (patch.externalId !== undefined) return null;
  const { partition } = identity;
  type Found = Customer & { version: string };
  const found =
    "id" in customer
      ? await findToUpdate<Found>({ ...partition, ...customer })
      : await findByExternalIdToUpdate<Found>({ ...partition, ...customer });
  if (!found) return null;
  const { version, ...before } = found;
  const allowed = unlessRefused(() => {
    identity.requireMatch?.(before);
    return patched(before, patch);
  });
  if (!allowed) return null;
  const changed = changedFields(before, allowed);
  if (changed.length === 0) return record ? null : serialize(before);

  const at = timeOfChange(before.updatedAt);
  const after = { ...allowed, updatedAt: at.toISOString() };
  const previous = { previousAttributes: previousAttributes(before, changed) };
  const response = serialize(after);
  const { externalId: _externalId, metadata, ...columns } = changeableColumns(after);
  const written = await writeInOneStatement<{ deliveries: string[] }>({
    tenantId: partition.tenantId,
    environment: partition.environment,
    at,
    ...recordValues(record, response),
    ...eventValues(newEvent(identity, "customer.updated", after, at, previous)),
    id: before.id,
    version,
    ...columns,
    metadata: JSON.stringify(metadata),
  });
  if (!written) return null;
  wake(identity, written.deliveries);
  return response;
}

/**
 * The customer with the patch, still with the time of the last change.
 * @throws AppError `gone`, `validation`
 */
function patched(before: Customer, { metadata, ...fields }: UpdateCustomer): Customer {
  if (before.erasedAt) throw erased("customer");
  const after = { ...before, ...fields, metadata: mergeMetadata(before.metadata, metadata) };
  if (!identifyingFields.some((field) => after[field])) {
    throw invalidBody(
      "",
      "required",
      `must leave the customer at least one of ${identifyingFields.join(", ")}`,
    );
  }
  return after;
}

/** The columns that a patch can change. */
const changeableColumns = (customer: Customer) => ({
  externalId: customer.externalId,
  name: customer.name,
  email: customer.email,
  phone: customer.phone,
  locale: customer.locale,
  metadata: customer.metadata,
  searchWords: searchWords(customer),
});
