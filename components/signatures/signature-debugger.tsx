"use client";

import { CircleAlert, CircleCheck, CircleMinus, CircleX, type LucideIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { TextAreaField, TextField } from "@/components/ui/field";
import { signTestWebhook } from "@/sdk/src/webhooks";
import { type Inspection, inspectSignature, type Pasted } from "./inspect-signature";
import type { Step } from "./steps";

const nothing: Pasted = { headers: "", body: "", secret: "" };
const settleMs = 250;

/**
 * Shows which step of a verification fails, and why. It runs in the browser only: nothing is sent or
 * stored.
 */
export function SignatureDebugger({ example }: { example: { body: string } }) {
  const [pasted, setPasted] = useState(nothing);
  const [inspection, setInspection] = useState<Inspection | null>(null);
  const isEmpty = Object.values(pasted).every((text) => text === "");
  // Browsers only offer cryptography to pages on https and localhost.
  const [isPossible, setIsPossible] = useState(true);

  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(async () => {
      if (!globalThis.crypto?.subtle) return setIsPossible(false);
      const result = isEmpty ? null : await inspectSignature(pasted, new Date());
      if (!isOver) setInspection(result);
    }, settleMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [pasted, isEmpty]);

  const field = (name: keyof Pasted) => ({
    value: pasted[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setPasted((before) => ({ ...before, [name]: value }));
    },
    autoComplete: "off",
    spellCheck: false,
  });

  async function showExample() {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    const secret = `whsec_${btoa(String.fromCharCode(...bytes))}`;
    const { payload, headers } = await signTestWebhook({ payload: example.body, secret });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    setPasted({ headers: lines.join("\n"), body: payload, secret });
  }

  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <form className="space-y-5" onSubmit={(event) => event.preventDefault()}>
        <TextAreaField
          label="Headers"
          rows={5}
          className="font-mono text-xs"
          placeholder="X-Service-Signature: t=1769851800,v1=5257a869…"
          hint="The value of X-Service-Signature, or all headers as your receiver got them."
          {...field("headers")}
        />
        <TextAreaField
          label="Body"
          rows={9}
          className="font-mono text-xs"
          placeholder='{"id":"evt_…","type":"message.received",…}'
          hint="As it arrived, to the last character."
          {...field("body")}
        />
        <TextField
          label="Signing secret or public key"
          placeholder="whsec_… or whpk_…"
          data-1p-ignore=""
          {...field("secret")}
        />
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" onClick={showExample} disabled={!isPossible}>
            Fill in an example
          </Button>
          <Button variant="quiet" onClick={() => setPasted(nothing)} disabled={isEmpty}>
            Clear
          </Button>
        </div>
      </form>
      <section
        aria-labelledby="findings"
        className="rounded-2xl border border-line bg-surface p-5 lg:sticky lg:top-[calc(var(--bar)+1.5rem)]"
      >
        <h2 id="findings" className="font-semibold text-base">
          Findings
        </h2>
        <div role="status" className="mt-2">
          {isPossible ? (
            <Verdict inspection={inspection} />
          ) : (
            <p className="text-warn">
              This browser lets pages compute signatures over https and on localhost only. Open the
              dashboard there.
            </p>
          )}
        </div>
        {inspection ? (
          <ol className="mt-4 space-y-3.5 border-line border-t pt-4">
            {inspection.steps.map((step) => (
              <StepLine key={step.name} step={step} />
            ))}
          </ol>
        ) : null}
      </section>
    </div>
  );
}

function Verdict({ inspection }: { inspection: Inspection | null }) {
  if (!inspection)
    return <p className="text-muted">Paste a delivery to check each verification step here.</p>;
  const { code, summary } = inspection;
  return (
    <p className={`font-medium ${code === null ? "text-good" : "text-danger"}`}>
      {summary}{" "}
      {code ? (
        <span className="font-normal text-muted">
          The TypeScript client says <code className="font-mono text-xs">{code}</code>.
        </span>
      ) : null}
    </p>
  );
}

const states: Record<Step["state"], { Icon: LucideIcon; className: string; label: string }> = {
  passed: { Icon: CircleCheck, className: "text-good", label: "passed" },
  failed: { Icon: CircleX, className: "text-danger", label: "failed" },
  doubtful: { Icon: CircleAlert, className: "text-warn", label: "doubtful" },
  "not-checked": { Icon: CircleMinus, className: "text-muted", label: "not checked" },
};

function StepLine({ step: { name, state, text } }: { step: Step }) {
  const { Icon, className, label } = states[state];
  return (
    <li className="flex gap-3">
      <Icon className={`mt-0.5 size-4 shrink-0 ${className}`} aria-hidden="true" />
      <div className="min-w-0">
        <h3 className="font-medium">
          {name} <span className={`font-normal ${className}`}>{label}</span>
        </h3>
        <p className="text-muted [overflow-wrap:anywhere]">{text}</p>
      </div>
    </li>
  );
}
