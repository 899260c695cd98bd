import { recordEvent } from "@/lib/events/record-event";
import type { Caller } from "@/lib/platform/caller";
import { type AppError, alreadyExists, echo } from "@/lib/platform/errors";
import type { Metadata } from "@/lib/platform/metadata";
import { newId } from "@/lib/resources/ids";
import type { CustomerModel } from "@/prisma/generated/models";
import type { CreateCustomer, Customer } from "./schema";
import { searchWords } from "./search-words";

// Reads and writes the rows of a customer, for its creation (service.ts) and its changes (update.ts).

/**
 * @returns null if the externalId is taken. The unique index decides, so concurrent calls create
 * one.
 */
export async function insertCustomer(
  caller: Caller,
  body: CreateCustomer,
): Promise<Customer | null> {
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

export async function findByExternalId(caller: Caller, externalId: string | null | undefined) {
  return externalId
    ? caller.db.customer.findFirst({ where: { ...caller.partition, externalId } })
    : null;
}

export async function externalIdTaken(
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
