"use client";

import { useParams } from "next/navigation";
import { useEffect, useState } from "react";
import { CodeTabs } from "@/components/docs/code-tabs";
import { CopyButton } from "@/components/ui/copy";
import { Dialog, DialogContent } from "@/components/ui/dialog";
import { Link } from "@/components/ui/link";
import { Notice } from "@/components/ui/notice";
import { useDialogState } from "@/components/ui/use-dialog-state";
import type { ApiCall, ApiCallSamples } from "./api-call";

const failed = "The code could not be loaded. Close this dialog and try again.";

/** Shows a request in three languages. The server writes them, as it does those of the reference. */
export function ApiCallDialog({ call, onClosed }: { call: ApiCall; onClosed: () => void }) {
  const { tenant, environment } = useParams<{ tenant: string; environment: string }>();
  const [loaded, setLoaded] = useState<ApiCallSamples | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const { dialog } = useDialogState({ onClosed });

  useEffect(() => {
    fetch(`/api/dashboard/${tenant}/${environment}/api-call`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(call),
    })
      .then((response) => (response.ok ? response.json() : Promise.reject(response)))
      .then(setLoaded, () => setHasFailed(true));
  }, [call, tenant, environment]);

  return (
    <Dialog {...dialog}>
      <DialogContent
        isWide
        title="API call"
        description="Does the same as submitting the form as it is filled in now."
      >
        {hasFailed ? <Notice>{failed}</Notice> : null}
        {loaded ? (
          <>
            <CodeTabs
              label="Language"
              tabs={loaded.samples.map(({ name, code }) => ({
                name,
                content: (
                  <div className="flex items-start rounded-xl border border-line bg-sunken">
                    <pre
                      // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll with the keyboard.
                      tabIndex={0}
                      className="max-h-[60dvh] min-w-0 flex-1 overflow-auto p-4 font-mono text-xs leading-5"
                    >
                      <code>{code}</code>
                    </pre>
                    <div className="p-1">
                      <CopyButton text={code} label={`Copy ${name}`} variant="quiet" />
                    </div>
                  </div>
                ),
              }))}
            />
            <p className="mt-3 text-muted">
              Set <code>PARLANCE_API_KEY</code> to{" "}
              <Link
                href={`/${tenant}/${environment}/api-keys`}
                className="text-accent underline underline-offset-2"
              >
                a key
              </Link>{" "}
              with the scope <code>{loaded.scope}</code>.
            </p>
          </>
        ) : hasFailed ? null : (
          <p role="status" className="text-muted">
            Loading…
          </p>
        )}
      </DialogContent>
    </Dialog>
  );
}
