"use client";

import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { DialogButton } from "@/components/ui/dialog-button";
import type { ReplayEventsDialog as Dialog } from "./replay-events-dialog";

const load = () => import("./replay-events-dialog").then((module) => module.ReplayEventsDialog);
const ReplayEventsDialog = dynamic(load, { ssr: false });

/** Sends events of a period again, or for the first time. */
export function ReplayEvents(props: Omit<ComponentProps<typeof Dialog>, "onClosed">) {
  return (
    <DialogButton trigger="Replay…" variant="secondary" size="small" load={load}>
      {(close) => <ReplayEventsDialog {...props} onClosed={close} />}
    </DialogButton>
  );
}
