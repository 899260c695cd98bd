"use client";

import { Code } from "lucide-react";
import dynamic from "next/dynamic";
import { type MouseEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { notLoaded } from "@/components/ui/dialog-button";
import { toast } from "@/components/ui/toast";
import type { ApiCall } from "./api-call";

// Loaded when it is opened, because few users open it.
const load = () => import("./api-call-dialog").then((module) => module.ApiCallDialog);
const ApiCallDialog = dynamic(load, { ssr: false });

type Props = {
  /** Called when the button is clicked, with what the form has then. */
  call: (form: FormData) => ApiCall;
  /** Shows the icon only. */
  isIcon?: boolean;
};

/** A button in a form. It shows the request of the API that does the same as submitting it. */
export function ShowApiCall({ call, isIcon = false }: Props) {
  const [shown, setShown] = useState<ApiCall | null>(null);

  function open({ currentTarget: { form } }: MouseEvent<HTMLButtonElement>) {
    const asked = call(new FormData(form ?? undefined));
    void load().then(
      () => setShown(asked),
      () => toast.error(notLoaded),
    );
  }

  return (
    <>
      <Button
        variant="quiet"
        size={isIcon ? "icon" : "normal"}
        aria-label={isIcon ? "Show as API call" : undefined}
        title={isIcon ? "Show as API call" : undefined}
        onClick={open}
      >
        <Code className="size-4" aria-hidden="true" />
        {isIcon ? null : "Show as API call"}
      </Button>
      {shown ? <ApiCallDialog call={shown} onClosed={() => setShown(null)} /> : null}
    </>
  );
}
