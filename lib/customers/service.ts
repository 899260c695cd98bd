import {
  type IdempotencyRecord,
  recordValues,
  type Serialize,
} from "@/lib/events/idempotency-record";
import { eventValues, newEvent } from "@/lib/events/record-event";
import { type Caller, type Identity, type Partition, wake } from "@/lib/platform/caller";
import { readRows, readSql, runSql } from "@/lib/platform/db";
import { invalidCursor } from "@/lib/platform/errors";
import { joinChanges, laneIn } from "@/lib/platform/join-changes";
import { joinLookups } from "@/lib/platform/join-lookups";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { notFound } from "@/lib/resources/not-found";
import { asRead, toPage } from "@/lib/resources/pages";
import { displayName } from "./display-name";
import { newCustomer, newCustomerValues } from "./new-customer";
import type { CreateCustomer, Customer, FindCustomers, ListCustomers } from "./schema";
import { wordsOf } from "./search-words";
import {
  type CustomerRow,
  createCustomerStatement,
  findByExternalIdStatement,
  getCustomerStatement,
  identitiesStatement,
  keepByExternalIdStatement,
  listCustomersStatement,
  lockForDeletionStatement,
  sortCustomersStatement,
} from "./service.sql";
import { externalIdTaken, insertCustomer, toCustomer } from "./stored-customer";

export async function listCustomers(caller: Caller, query: ListCustomers) {
  await requireCursor(caller, "customers", query.cursor);
  const rows = await readSql<Customer>(listCustomersStatement(caller.partition, query), caller);
  return toPage(rows, query.limit, asRead);
}

/** The dashboard's list and search. Without words it lists all customers. */
export async function findCustomers(
  caller: Caller,
  { q = "", sort, cursor, limit = 30, order = "desc" }: Partial<FindCustomers>,
) {
  const words = wordsOf(q).length > 0 ? q : undefined;
  if (!sort) return listCustomers(caller, { q: words, cursor, limit, order });
  const statement = sortCustomersStatement(caller.partition, {
    ...{ q: words, sort, limit, order },
    after: cursor === undefined ? null : positionAfter(sort, cursor),
  });
  const { data, nextCursor } = toPage(await readSql<Customer>(statement, caller), limit, asRead);
  const last = nextCursor === undefined ? undefined : data.at(-1);
  return { data, ...(last && { nextCursor: customerCursor(sort, last) }) };
}

type Sort = FindCustomers["sort"];

/**
 * Where a page of the sorted list ends. By the last change, it contains the time, so that a customer
 * who changes meanwhile does not move it.
 */
export const customerCursor = (sort: Sort, { id, updatedAt }: Customer): string =>
  sort === "updatedAt" ? `${Date.parse(updatedAt)}-${id}` : id;

function positionAfter(sort: Sort, cursor: string) {
  const [time = "", id] = cursor.split("-");
  if ((sort === "updatedAt") !== (id !== undefined)) throw invalidCursor();
  return id === undefined ? { id: cursor } : { id, updatedAt: new Date(Number(time)) };
}

const findCustomer = joinLookups(getCustomerStatement);

export async function getCustomer(caller: Caller, id: string): Promise<Customer> {
  const found = await findCustomer<Customer>({ ...caller.partition, id }, caller);
  // Another tenant's customer, or the other environment's, is the same 404 as none at all.
  if (!found) throw notFound("customer", id);
  return found;
}

const findCustomerByExternalId = joinLookups(findByExternalIdStatement);

/**
 * For a new conversation: the customer with this id or, without one, with this externalId.
 * @returns undefined if there is none
 */
export async function findReferencedCustomer(
  partition: Partition,
  { id, externalId }: { id: string | null | undefined; externalId: string | null | undefined },
): Promise<{ id: string; name: string | null } | undefined> {
  if (id) return findCustomer<Customer>({ ...partition, id });
  if (externalId) return findCustomerByExternalId<Customer>({ ...partition, externalId });
}

type IdentifiedCustomer = Pick<Customer, "id" | "name" | "email" | "phone" | "externalId"> & {
  erasedAt: Date | null;
};

/** What identifies customers, by id. Unknown ids are left out. */
export async function customersById(
  caller: Caller,
  ids: string[],
): Promise<Map<string, IdentifiedCustomer>> {
  if (ids.length === 0) return new Map();
  const found = await readRows<IdentifiedCustomer>(
    identitiesStatement({ ...caller.partition, ids }),
    caller,
  );
  return new Map(found.map((customer) => [customer.id, customer]));
}

/** Display names of customers, by id. Unknown ids are left out. */
export async function customerNames(caller: Caller, ids: string[]): Promise<Map<string, string>> {
  const found = await customersById(caller, ids);
  return new Map([...found].map(([id, customer]) => [id, displayName(customer)]));
}

/** @throws AppError `conflict` with `existingId` if another customer has the same externalId. */
export async function createCustomer(caller: Caller, body: CreateCustomer) {
  requireRole(caller, "MEMBER", "create customers");
  const created = await insertCustomer(caller, body);
  if (!created) throw await externalIdTaken(caller, body.externalId);
  return created;
}

/** New customers with the same externalId have one statement at a time: the others then find it taken. */
const writeCustomer = joinChanges(createCustomerStatement, {
  laneOf: (values) =>
    values.customerExternalId ? laneIn(values, values.customerExternalId) : undefined,
});

/**
 * The same as `createCustomer`, together with its idempotency record, in one statement, which concurrent
 * creations share.
 * @returns the response's body, or null if nothing was written, because the key or the externalId is
 * taken. Then call `createCustomer`.
 */
export async function createCustomerInOneStatement(
  identity: Identity,
  body: CreateCustomer,
  record: IdempotencyRecord | null,
  serialize: Serialize<Customer>,
): Promise<string | null> {
  const at = new Date();
  const created = newCustomer(identity, body, at);
  const response = serialize(created);
  const written = await writeCustomer<{ deliveries: string[] }>({
    tenantId: identity.partition.tenantId,
    environment: identity.partition.environment,
    at,
    ...recordValues(record, response),
    ...eventValues(newEvent(identity, "customer.created", created, at)),
    ...newCustomerValues(created),
  });
  if (!written) return null;
  wake(identity, written.deliveries);
  return response;
}

/**
 * For a conversation's `customer{…}`: returns the existing customer with this externalId unchanged,
 * or creates one.
 */
export async function findOrCreateCustomer(
  caller: Caller,
  body: CreateCustomer,
): Promise<Customer> {
  requireRole(caller, "MEMBER", "create customers");
  // Repeats only if another request deletes the customer between the two statements.
  for (;;) {
    const created = await insertCustomer(caller, body);
    if (created) return created;
    const externalId = body.externalId ?? "";
    const statement = keepByExternalIdStatement({ ...caller.partition, externalId });
    const [existing] = await runSql<CustomerRow>(statement, caller);
    if (existing) return toCustomer(existing);
  }
}

/** Locks the customer so that it gets no new conversations until the transaction ends. */
export async function lockCustomerForDeletion(caller: Caller, id: string): Promise<Customer> {
  const statement = lockForDeletionStatement({ ...caller.partition, id });
  const [row] = await runSql<CustomerRow>(statement, caller);
  if (!row) throw notFound("customer", id);
  return toCustomer(row);
}
