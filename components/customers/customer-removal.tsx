import { DeleteDialog } from "@/components/shell/delete-dialog";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type CustomerRemovalProps = {
  customer: Customer;
  goTo: string;
  remove: () => Promise<ActionResult>;
  /** Null if the role does not allow it, or an erasure is in progress. */
  erase: (() => Promise<ActionResult | ProofRequest>) | null;
};

export function CustomerRemoval({ customer, goTo, remove, erase }: CustomerRemovalProps) {
  const { environment, conversationCount } = customer;
  const name = displayName(customer);
  const conversations =
    conversationCount === 1
      ? "1 conversation"
      : `${conversationCount.toLocaleString("en")} conversations`;
  return (
    <>
      {erase ? (
        <DeleteDialog
          trigger="Erase…"
          title={`Erase “${name}”?`}
          environment={environment}
          confirm="Erase customer"
          pending="Starting the erasure…"
          remove={erase}
          done="Erasure started."
        >
          <ul className="list-disc space-y-1 pl-5">
            <li>
              Removes everything personal: the customer’s fields, the content of{" "}
              {conversationCount > 0 ? conversations : "conversations"} with their messages and
              attachments, events, and logged requests.
            </li>
            <li>Ids, statuses, times and counts stay. An entry in the audit log certifies it.</li>
            <li>Use it when a person asks you to delete their data. This cannot be undone.</li>
          </ul>
        </DeleteDialog>
      ) : null}
      <DeleteDialog
        title={`Delete “${name}”?`}
        environment={environment}
        confirm="Delete customer"
        remove={remove}
        done={`“${name}” deleted.`}
        goTo={goTo}
      >
        <p>
          {conversationCount > 0
            ? `This deletes ${conversations} of this customer with all messages, too. `
            : ""}
          Events about them stay in the feed. To remove those as well, erase the customer first.
          This cannot be undone.
        </p>
      </DeleteDialog>
    </>
  );
}
