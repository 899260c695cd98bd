import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes, timeOfChange } from "@/lib/platform/changes";
import { type Prisma, readRows, readSql, runSql } from "@/lib/platform/db";
import {
  type AppError,
  alreadyExists,
  echo,
  erased,
  invalidBody,
  invalidCursor,
} from "@/lib/platform/errors";
import { joinLookups } from "@/lib/platform/join-lookups";
import { type Metadata, mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { asRead, toPage } from "@/lib/resources/pages";
import type { CustomerModel } from "@/prisma/generated/models";
import { displayName } from "./display-name";
import {
  type CreateCustomer,
  type Customer,
  type FindCustomers,
  identifyingFields,
  type ListCustomers,
  type UpdateCustomer,
  type UpsertCustomer,
} from "./schema";
import { searchWords, wordsOf } from "./search-words";
import {
  type CustomerRow,
  getCustomerStatement,
  identitiesStatement,
  keepByExternalIdStatement,
  listCustomersStatement,
  lockByExternalIdStatement,
  lockForDeletionStatement,
  sortCustomersStatement,
} from "./service.sql";

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

export async function updateCustomer(caller: Caller, id: string, patch: UpdateCustomer) {
  requireRole(caller, "MEMBER", "change customers");
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  // Concurrent patches must not undo each other's metadata.
  await lockRow(caller, "customers", id);
  const before = await caller.db.customer.findUnique({ where });
  if (!before) throw notFound("customer", id);
  return changeCustomer(caller, before, patch);
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
    if (before) return { ...(await changeCustomer(caller, before, patch)), isNew: false };
    caller.requireMatch?.(null);
    const created = await insertCustomer(caller, { ...patch, externalId, metadata });
    if (created) return { ...created, isNew: true };
  }
}

/** Locks the customer so that it gets no new conversations until the transaction ends. */
export async function lockCustomerForDeletion(caller: Caller, id: string): Promise<Customer> {
  const statement = lockForDeletionStatement({ ...caller.partition, id });
  const [row] = await runSql<CustomerRow>(statement, caller);
  if (!row) throw notFound("customer", id);
  return toCustomer(row);
}

/** @param before the customer's row, which the transaction has locked */
async function changeCustomer(
  caller: Caller,
  before: CustomerModel,
  patch: UpdateCustomer,
): Promise<Customer> {
  caller.requireMatch?.(toCustomer(before));
  if (before.erasedAt) throw erased("customer");
  const { metadata: metadataPatch, ...fields } = patch;
  const metadata = mergeMetadata(before.metadata, metadataPatch);

  const after = { ...before, ...fields, metadata };
  const changed = changedFields(toCustomer(before), toCustomer(after));
  if (changed.length === 0) return toCustomer(before);
  if (!identifyingFields.some((field) => after[field])) {
    throw invalidBody(
      "",
      "required",
      `must leave the customer at least one of ${identifyingFields.join(", ")}`,
    );
  }
  if (
    fields.externalId &&
    fields.externalId !== before.externalId &&
    (await findByExternalId(caller, fields.externalId))
  ) {
    throw await externalIdTaken(caller, fields.externalId);
  }

  const own = { ...fields, ...(metadata && { metadata }), searchWords: searchWords(after) };
  const at = timeOfChange(before.updatedAt);
  const data = { ...own, updatedAt: at } satisfies Prisma.CustomerUpdateInput;
  const where = { tenantId_environment_id: { ...caller.partition, id: before.id } };
  const updated = toCustomer(await caller.db.customer.update({ where, data }));
  await recordEvent(caller, "customer.updated", updated, {
    previousAttributes: previousAttributes(toCustomer(before), changed),
    at,
  });
  return updated;
}

/**
 * @returns null if the externalId is taken. The unique index decides, so concurrent calls create
 * one.
 */
async function insertCustomer(caller: Caller, body: CreateCustomer): Promise<Customer | null> {
  const now = new Date();
  const [row] = await caller.db.customer.createManyAndReturn({
    data: [
      {
        ...caller.partition,
        id: newId("customer", now),
        ...body,
        metadata: body.metadata ?? {},
        searchWords: searchWords(body),
        createdAt: now,
        updatedAt: now,
      },
    ],
    skipDuplicates: true,
  });
  if (!row) return null;
  const customer = toCustomer(row);
  await recordEvent(caller, "customer.created", customer);
  return customer;
}

async function findByExternalId(caller: Caller, externalId: string | null | undefined) {
  return externalId
    ? caller.db.customer.findFirst({ where: { ...caller.partition, externalId } })
    : null;
}

async function externalIdTaken(
  caller: Caller,
  externalId: string | null | undefined,
): Promise<AppError> {
  const existing = await findByExternalId(caller, externalId);
  return alreadyExists(`A customer with the externalId "${echo(externalId ?? "")}"`, existing?.id);
}

export function toCustomer(row: CustomerModel): Customer {
  return {
    id: row.id,
    environment: row.environment,
    externalId: row.externalId,
    name: row.name,
    email: row.email,
    phone: row.phone,
    locale: row.locale,
    metadata: row.metadata as Metadata,
    conversationCount: row.conversationCount,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    erasedAt: row.erasedAt?.toISOString() ?? null,
  };
}
