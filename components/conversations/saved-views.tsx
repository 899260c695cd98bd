"use client";

import { Bookmark } from "lucide-react";
import dynamic from "next/dynamic";
import type { ComponentProps } from "react";
import { DialogButton } from "@/components/ui/dialog-button";
import type { SavedViewsDialog as Views } from "./saved-views-dialog";

const load = () => import("./saved-views-dialog").then((module) => module.SavedViewsDialog);
const SavedViewsDialog = dynamic(load, { ssr: false });

/** Opens the dialog that saves the filters of the list as a view, and deletes views. */
export function SavedViews(views: Omit<ComponentProps<typeof Views>, "onClosed">) {
  return (
    <DialogButton
      trigger={<Bookmark className="size-4" aria-hidden="true" />}
      label="Saved views"
      variant="quiet"
      size="icon"
      load={load}
    >
      {(close) => <SavedViewsDialog {...views} onClosed={close} />}
    </DialogButton>
  );
}
