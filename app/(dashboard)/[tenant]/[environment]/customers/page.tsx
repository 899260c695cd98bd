import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parsePage, twoWayPage } from "@/app/(dashboard)/two-way-page";
import { CreateCustomerDialog } from "@/components/customers/create-customer-dialog";
import { CustomerTable } from "@/components/customers/customer-table";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import { CsvLink, Pager, PageSizes } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { type Customer, findCustomersQuery } from "@/lib/customers/schema";
import { customerCursor, findCustomers } from "@/lib/customers/service";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { createCustomerAction } from "./actions";

export const metadata = { title: "Customers" };

const searchFilter = {
  name: "q",
  label: "Search",
  type: "search",
  placeholder: "Name, email, phone, external ID",
} as const;

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const path = `${base}/customers`;
  const { search, before } = parsePage(findCustomersQuery, query);
  const {
    data: customers,
    nextCursor,
    previousCursor,
  } = await twoWayPage(
    search,
    before,
    (page) => findCustomers(caller, page),
    (customer: Customer) => customerCursor(search.sort, customer),
  );
  const isFirstUse = customers.length === 0 && Object.keys(query).length === 0;

  const create = hasRole(role, "MEMBER") ? (
    <CreateCustomerDialog
      base={base}
      environment={environment}
      create={createCustomerAction.bind(null, { tenant: tenant.slug, environment })}
    />
  ) : (
    <RoleNote sentence={roleSentence("MEMBER", "create customers")} />
  );
  return (
    <>
      <PageHeader
        title="Customers"
        description="The people who write to you, linked to your own records."
        actions={
          isFirstUse ? null : (
            <>
              <CsvLink path={path} query={query} />
              {create}
            </>
          )
        }
      />
      {isFirstUse ? (
        <EmptyState
          title={`No ${environment} customers yet`}
          action={create}
          curl={createByApi(environment)}
        >
          Customers appear when the API creates one, or when a conversation names a new one. Create
          the first one here or with the API.
        </EmptyState>
      ) : (
        <>
          <Filters filters={[searchFilter]} />
          {customers.length > 0 ? (
            <CustomerTable
              customers={customers}
              base={base}
              sorting={{ path, query, initial: "created" }}
              now={now}
            />
          ) : (
            <EmptyState title="No customers match">
              Each word that you type must be the start of a word in the name, email address, phone
              number or external ID.
            </EmptyState>
          )}
          <Pager
            path={path}
            query={query}
            nextCursor={nextCursor}
            previousCursor={previousCursor}
            count={customers.length}
          >
            {customers.length > 0 ? <PageSizes path={path} query={query} /> : null}
          </Pager>
        </>
      )}
    </>
  );
});

const createByApi = (environment: string) => `curl ${env().APP_URL}/v1/public/customers \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" \\
  -H "Content-Type: application/json" \\
  -d '{"externalId": "user_8412", "name": "Ada Lovelace", "email": "ada@example.com"}'`;
