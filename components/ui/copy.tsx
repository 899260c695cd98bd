"use client";

import { Check, Copy } from "lucide-react";
import { useRef, useState } from "react";
import { Button, type ButtonVariant } from "./button";

/**
 * Browsers only offer the clipboard API to pages on https and localhost. Elsewhere, the older command
 * still works.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.style.position = "fixed";
    area.style.opacity = "0";
    // If a dialog is open, the text field is inside it: the dialog holds the focus, and without
    // focus nothing can be selected.
    (document.activeElement?.closest("[role=dialog], [role=alertdialog]") ?? document.body).append(
      area,
    );
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

type CopyButtonProps = {
  text: string;
  label: string;
  variant?: ButtonVariant;
  size?: "tiny";
  onCopied?: () => void;
  children?: string;
};

export function CopyButton({
  text,
  label,
  variant = "secondary",
  size,
  onCopied,
  children,
}: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  async function copy() {
    if (!(await copyText(text))) return;
    onCopied?.();
    setIsCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setIsCopied(false), 2_000);
  }

  const Icon = isCopied ? Check : Copy;
  return (
    <Button
      variant={variant}
      onClick={copy}
      aria-label={isCopied ? `${label}: copied` : label}
      size={size ?? (children ? "normal" : "icon")}
    >
      <Icon className={size === "tiny" ? "size-3.5" : "size-4"} aria-hidden="true" />
      {children ? (isCopied ? "Copied" : children) : null}
    </Button>
  );
}

/** A block of text with a button that copies all of it. */
export function CopyBlock({
  text,
  label,
  onCopied,
}: {
  text: string;
  label: string;
  onCopied?: () => void;
}) {
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line bg-sunken p-1.5 pl-3">
      <pre className="min-w-0 flex-1 whitespace-pre-wrap break-all py-2 font-mono text-xs">
        {text}
      </pre>
      <CopyButton text={text} label={label} variant="quiet" onCopied={onCopied} />
    </div>
  );
}
