import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { CustomerConversations } from "@/components/customers/customer-conversations";
import { CustomerRemoval } from "@/components/customers/customer-removal";
import { EditCustomerDialog } from "@/components/customers/edit-customer-dialog";
import { ErasureNotice } from "@/components/customers/erasure-notice";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { MetadataList } from "@/components/ui/metadata-list";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { RawJson } from "@/components/ui/raw-json";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { listConversations } from "@/lib/conversations/service";
import { displayName } from "@/lib/customers/display-name";
import { getCustomer } from "@/lib/customers/service";
import { findErasureOf } from "@/lib/erasures/service";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { deleteCustomerAction, eraseCustomerAction, updateCustomerAction } from "../actions";

const load = cache(getCustomer);

export const generateMetadata = objectTitle<"customerId">(
  "Customers",
  async (caller, { customerId }) => displayName(await load(caller, customerId)),
);

const shownConversations = 20;

export default dashboardPage<"customerId">(
  async ({ caller, role, tenant, environment, base, params, now }) => {
    const customer = await load(caller, params.customerId);
    const conversations = await listConversations(caller, {
      customerId: customer.id,
      limit: shownConversations,
      order: "desc",
    });
    const time = (text: string) => <Time at={new Date(text)} now={now} />;

    const place = { tenant: tenant.slug, environment };
    const erasure = customer.erasedAt ? await findErasureOf(caller, customer.id) : null;
    const edit = hasRole(role, "MEMBER") ? (
      <>
        <CustomerRemoval
          customer={customer}
          goTo={`${base}/customers`}
          remove={deleteCustomerAction.bind(null, place, customer.id)}
          erase={
            hasRole(role, "ADMIN") && erasure?.status !== "PENDING"
              ? eraseCustomerAction.bind(null, place, customer.id)
              : null
          }
        />
        {customer.erasedAt ? null : (
          <EditCustomerDialog
            customer={customer}
            environment={environment}
            base={base}
            update={updateCustomerAction.bind(null, place, customer.id)}
          />
        )}
      </>
    ) : (
      <RoleNote sentence={roleSentence("MEMBER", "change customers")} />
    );
    return (
      <>
        <PageHeader
          title={displayName(customer)}
          description={<CopyableId id={customer.id} />}
          trail={[{ name: "Customers", href: `${base}/customers` }]}
          actions={edit}
        />
        {erasure ? <ErasureNotice erasure={erasure} now={now} /> : null}
        <div className="grid items-start gap-5 xl:grid-cols-2">
          <div className="space-y-5">
            <Panel title="Customer">
              <Facts
                facts={[
                  { name: "Name", value: customer.name },
                  { name: "Email", value: customer.email },
                  { name: "Phone", value: customer.phone },
                  { name: "External ID", value: customer.externalId },
                  { name: "Locale", value: customer.locale },
                  { name: "Metadata", value: <MetadataList metadata={customer.metadata} /> },
                  { name: "Created", value: time(customer.createdAt) },
                  { name: "Updated", value: time(customer.updatedAt) },
                ]}
              />
            </Panel>
            <RawJson value={customer} label="the customer as JSON" base={base} />
          </div>
          <Panel
            title="Conversations"
            aside={
              customer.conversationCount > 0 ? (
                <Link
                  href={`${base}/conversations?customerId=${customer.id}&status=all`}
                  className="text-accent hover:underline"
                >
                  {customer.conversationCount === 1
                    ? "View in the inbox"
                    : `View all ${customer.conversationCount.toLocaleString("en")} in the inbox`}
                </Link>
              ) : null
            }
          >
            {conversations.data.length > 0 ? (
              <CustomerConversations conversations={conversations.data} base={base} now={now} />
            ) : (
              <p className="text-muted">
                No conversations yet. They appear here when this customer writes.
              </p>
            )}
          </Panel>
        </div>
      </>
    );
  },
);
