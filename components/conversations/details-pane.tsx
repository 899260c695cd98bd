import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { DeleteDialog } from "@/components/shell/delete-dialog";
import { ButtonLink } from "@/components/ui/button";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import { MetadataList } from "@/components/ui/metadata-list";
import { Facts } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import type { Conversation } from "@/lib/conversations/schema";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";
import type { DeleteConversation, Find, UpdateConversationAction } from "./action-types";
import { ConversationFields } from "./conversation-fields";
import { CustomerPicker } from "./customer-picker";
import { EditMetadataDialog } from "./edit-metadata-dialog";
import { JsonLink } from "./json-link";
import { priorityLabels } from "./labels";

type DetailsPaneProps = {
  conversation: Conversation;
  customer: Customer | null;
  agentName: string | null;
  assigneeName: string | null;
  members: { id: string; name: string }[];
  base: string;
  /** The URL of the thread, for screens that show one pane at a time. */
  threadHref: string;
  inspectHref: (id: string) => string;
  /** Null if the role does not allow changes. `refusal` then says so. */
  update: UpdateConversationAction | null;
  findCustomers: Find;
  remove: DeleteConversation | null;
  /** The page to open after the deletion. */
  listHref: string;
  refusal: string;
  now: Date;
};

/** The details of the open conversation and of its customer. */
export function DetailsPane(props: DetailsPaneProps) {
  const {
    conversation,
    customer,
    members,
    base,
    threadHref,
    inspectHref,
    update,
    findCustomers,
    remove,
    listHref,
    refusal,
    now,
  } = props;
  return (
    <>
      <div className="border-line border-b px-4 py-2.5 xl:hidden">
        <ButtonLink variant="quiet" size="small" href={threadHref} scroll={false}>
          <ArrowLeft className="size-4" aria-hidden="true" />
          Messages
        </ButtonLink>
      </div>
      <Section title="Customer" inspectHref={customer ? inspectHref(customer.id) : null}>
        {customer ? (
          <CustomerFacts customer={customer} base={base} />
        ) : (
          <p className="text-muted">No customer linked.</p>
        )}
        {update ? (
          <CustomerPicker isFirst={!customer} find={findCustomers} update={update} />
        ) : null}
      </Section>
      <Section title="Conversation" inspectHref={inspectHref(conversation.id)}>
        {update ? (
          <ConversationFields conversation={conversation} members={members} update={update} />
        ) : (
          <>
            <Facts variant="narrow" facts={decided(props)} />
            <div className="mt-3">
              <RoleNote sentence={refusal} />
            </div>
          </>
        )}
      </Section>
      <Section title="Metadata" inspectHref={null}>
        <MetadataList metadata={conversation.metadata} />
        {update ? (
          <EditMetadataDialog
            conversationId={conversation.id}
            metadata={conversation.metadata}
            environment={conversation.environment}
            update={update}
          />
        ) : null}
      </Section>
      <Section title="Details" inspectHref={null}>
        <Facts variant="narrow" facts={facts(props, now)} />
        {remove ? (
          <div className="mt-4">
            <DeleteDialog
              trigger="Delete conversation…"
              size="small"
              title="Delete this conversation?"
              environment={conversation.environment}
              confirm="Delete conversation"
              remove={remove}
              done="Conversation deleted."
              goTo={listHref}
            >
              <p>
                This deletes its{" "}
                {conversation.messageCount === 1
                  ? "message"
                  : `${conversation.messageCount.toLocaleString("en")} messages`}
                , too. Usage still counts them, and events about it stay in the feed. This cannot be
                undone.
              </p>
            </DeleteDialog>
          </div>
        ) : null}
      </Section>
    </>
  );
}

function Section({
  title,
  inspectHref,
  children,
}: {
  title: string;
  inspectHref: string | null;
  children: ReactNode;
}) {
  return (
    <section className="border-line border-b p-4 last:border-b-0">
      <div className="mb-3 flex h-6 items-center justify-between">
        <h2 className="font-semibold">{title}</h2>
        {inspectHref ? <JsonLink href={inspectHref} name={title} /> : null}
      </div>
      {children}
    </section>
  );
}

function CustomerFacts({ customer, base }: { customer: Customer; base: string }) {
  const { id, email, phone, externalId, locale, conversationCount } = customer;
  const known = [
    { name: "Email", value: email },
    { name: "Phone", value: phone },
    { name: "External ID", value: externalId },
    { name: "Locale", value: locale },
  ].filter(({ value }) => value);
  return (
    <div className="space-y-3">
      <div>
        <Link
          dir="auto"
          href={`${base}/customers/${id}`}
          className="block break-words font-medium text-accent hover:underline"
        >
          {displayName(customer)}
        </Link>
        <CopyableId id={id} />
      </div>
      <Facts variant="narrow" facts={known} />
      <Link
        href={`${base}/conversations?customerId=${id}&status=all`}
        className="text-accent hover:underline"
      >
        {conversationCount === 1
          ? "1 conversation"
          : `${conversationCount.toLocaleString("en")} conversations`}
      </Link>
    </div>
  );
}

function decided({ conversation, assigneeName }: DetailsPaneProps) {
  return [
    { name: "Assigned to", value: assigneeName ?? "No one" },
    { name: "Priority", value: priorityLabels[conversation.priority] },
    { name: "Subject", value: conversation.subject && <bdi>{conversation.subject}</bdi> },
    {
      name: "Tags",
      value: conversation.tags.length > 0 ? <bdi>{conversation.tags.join(", ")}</bdi> : null,
    },
  ];
}

function facts({ conversation, agentName, base }: DetailsPaneProps, now: Date) {
  const {
    id,
    channelId,
    agentId,
    externalId,
    messageCount,
    snoozedUntil,
    resolvedAt,
    closedAt,
    createdAt,
  } = conversation;
  const time = (text: string) => <Time at={new Date(text)} now={now} />;
  return [
    { name: "ID", value: <CopyableId id={id} /> },
    { name: "Channel", value: <bdi>{channelId}</bdi> },
    ...(agentId
      ? [
          {
            name: "Agent",
            value: <AgentLink href={`${base}/agents/${agentId}`} name={agentName ?? agentId} />,
          },
        ]
      : []),
    ...(externalId ? [{ name: "External ID", value: <bdi>{externalId}</bdi> }] : []),
    ...(snoozedUntil ? [{ name: "Snoozed until", value: time(snoozedUntil) }] : []),
    ...(resolvedAt ? [{ name: "Resolved", value: time(resolvedAt) }] : []),
    ...(closedAt ? [{ name: "Closed", value: time(closedAt) }] : []),
    { name: "Messages", value: messageCount.toLocaleString("en") },
    { name: "Created", value: time(createdAt) },
  ];
}

function AgentLink({ href, name }: { href: string; name: string }) {
  return (
    <Link href={href} className="text-accent hover:underline">
      {name}
    </Link>
  );
}
