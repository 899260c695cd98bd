"use client";

import dynamic from "next/dynamic";
import { DialogButton, type DialogButtonProps } from "@/components/ui/dialog-button";
import type { ConfirmQuestionProps } from "./confirm-question";

const load = () => import("./confirm-question").then((module) => module.ConfirmQuestion);
const ConfirmQuestion = dynamic(load, { ssr: false });

/**
 * Asks before something that cannot easily be undone. If it is refused, the dialog stays open and
 * shows why.
 */
export function ConfirmDialog({
  trigger,
  label,
  variant = "danger-quiet",
  size,
  onClosed,
  ...question
}: Omit<DialogButtonProps, "onOpen" | "className"> & Omit<ConfirmQuestionProps, "onClosed">) {
  return (
    <DialogButton {...{ trigger, label, variant, size, load, onClosed }}>
      {(close) => <ConfirmQuestion {...question} onClosed={close} />}
    </DialogButton>
  );
}
