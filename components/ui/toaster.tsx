"use client";

import { type CSSProperties, useEffect } from "react";
import { Toaster as Base, toast } from "sonner";
import { toastsAreReady } from "./toast";

const colors = {
  "--normal-bg": "var(--surface)",
  "--normal-border": "var(--line)",
  "--normal-text": "var(--ink)",
} as CSSProperties;

export function Toaster() {
  // Runs after the effect in which the library starts to listen. It drops earlier messages.
  useEffect(() => toastsAreReady(toast), []);
  return (
    <Base
      theme="system"
      // Its own colors follow the system, and not the visitor's choice.
      style={colors}
      // Not at the bottom, where the buttons of forms and of the composer are, and below the title and
      // buttons of a conversation.
      position="top-center"
      offset={{ top: 88 }}
      mobileOffset={{ top: 188 }}
      toastOptions={{ style: { fontFamily: "var(--font-sans)" } }}
    />
  );
}
