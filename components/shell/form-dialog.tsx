"use client";

import dynamic from "next/dynamic";
import { DialogButton, type DialogButtonProps } from "@/components/ui/dialog-button";
import type { FormPanelProps, FormPanel as Panel } from "./form-panel";

const load = () => import("./form-panel").then((module) => module.FormPanel);
const FormPanel = dynamic(load, { ssr: false }) as typeof Panel;

/** A form in a dialog. If it is refused, the input stays, and the dialog shows why. */
export function FormDialog<Value>({
  trigger,
  label,
  variant,
  size,
  className,
  onOpen,
  onClosed,
  ...form
}: DialogButtonProps & Omit<FormPanelProps<Value>, "onClosed">) {
  return (
    <DialogButton {...{ trigger, label, variant, size, className, load, onOpen, onClosed }}>
      {(close) => <FormPanel {...form} onClosed={close} />}
    </DialogButton>
  );
}
