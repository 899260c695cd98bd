"use client";

import { Toaster } from "sonner";

export function Toasts() {
  return (
    <Toaster
      theme="system"
      position="bottom-right"
      toastOptions={{ style: { fontFamily: "var(--font-sans)" } }}
    />
  );
}
