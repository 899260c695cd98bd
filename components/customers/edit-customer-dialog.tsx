"use client";

import { Pencil } from "lucide-react";
import Link from "next/link";
import { type FormEvent, useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogClose, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { MetadataField } from "@/components/ui/metadata-field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/action-result";
import type { Customer, UpdateCustomer } from "@/lib/customers/schema";
import { fromMetadataRows, metadataPatch, repeatedKey, toMetadataRows } from "@/lib/metadata-rows";
import type { Environment } from "@/prisma/generated/enums";
import { CustomerFields, customerFields } from "./customer-fields";
import type { UpdateThis } from "./states";

type Props = { customer: Customer; environment: Environment; base: string; update: UpdateThis };

export function EditCustomerDialog({ customer, environment, base, update }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog open={isOpen} onOpenChange={setIsOpen}>
      <DialogTrigger className={buttonClass({ look: "secondary" })}>
        <Pencil className="size-4" aria-hidden="true" />
        Edit
      </DialogTrigger>
      <DialogContent
        title="Edit the customer"
        description={
          <>
            What you change here, the API answers from now on, in <EnvironmentName environment={environment} />.
          </>
        }
      >
        <EditForm customer={customer} base={base} update={update} onSaved={() => setIsOpen(false)} />
      </DialogContent>
    </Dialog>
  );
}

/**
 * Sends what differs from what it began with, so that what others change meanwhile stays. It begins anew each time the
 * dialog opens.
 */
function EditForm({ customer, base, update, onSaved }: Pick<Props, "customer" | "base" | "update"> & { onSaved: () => void }) {
  const [seen] = useState(customer);
  const [rows, setRows] = useState(() => toMetadataRows(seen.metadata));
  const [refused, setRefused] = useState<Extract<ActionResult, { outcome: "refused" }> | null>(null);
  const [isPending, startTransition] = useTransition();
  const errors = refused?.errors ?? {};

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isPending || repeatedKey(rows)) return;
    const patch = { ...changedFields(seen, new FormData(event.currentTarget)), ...changedMetadata(seen, rows) };
    startTransition(async () => {
      const result = await update(patch);
      if (result.outcome === "refused") {
        setRefused(result);
        return;
      }
      onSaved();
      toast.success("The customer is saved.");
    });
  }

  return (
    <form onSubmit={submit} className="space-y-4">
      {refused && (errors[""] || Object.keys(errors).length === 0) ? (
        <Notice>
          {errors[""] ?? refused.message}
          {refused.existingId ? (
            <Link href={`${base}/customers/${refused.existingId}`} className="ml-1 font-medium underline underline-offset-2">
              Open it
            </Link>
          ) : null}
        </Notice>
      ) : null}
      <CustomerFields values={seen} errors={errors} />
      <MetadataField rows={rows} onChange={setRows} errors={errors} />
      <div className="flex justify-end gap-2">
        <DialogClose className={buttonClass({ look: "secondary" })}>Cancel</DialogClose>
        <Button type="submit" disabled={isPending}>
          {isPending ? "Saving…" : "Save"}
        </Button>
      </div>
    </form>
  );
}

function changedFields(seen: Customer, form: FormData): UpdateCustomer {
  const typed = customerFields.map((name) => [name, String(form.get(name) ?? "").trim() || null] as const);
  return Object.fromEntries(typed.filter(([name, value]) => value !== seen[name]));
}

function changedMetadata(seen: Customer, rows: Parameters<typeof fromMetadataRows>[0]): UpdateCustomer {
  const patch = metadataPatch(seen.metadata, fromMetadataRows(rows));
  return Object.keys(patch).length > 0 ? { metadata: patch } : {};
}
