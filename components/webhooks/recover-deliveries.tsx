"use client";

import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { DialogButton } from "@/components/ui/dialog-button";
import type { RecoverDeliveriesDialog as Dialog } from "./recover-deliveries-dialog";

const load = () =>
  import("./recover-deliveries-dialog").then((module) => module.RecoverDeliveriesDialog);
const RecoverDeliveriesDialog = dynamic(load, { ssr: false });

/** Resends deliveries that failed or are held. */
export function RecoverDeliveries(props: Omit<ComponentProps<typeof Dialog>, "onClosed">) {
  return (
    <DialogButton trigger="Recover…" variant="secondary" size="small" load={load}>
      {(close) => <RecoverDeliveriesDialog {...props} onClosed={close} />}
    </DialogButton>
  );
}
