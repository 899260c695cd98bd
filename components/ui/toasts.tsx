"use client";

import dynamic from "next/dynamic";

/** The place of toasts. It is not part of the first load, which shows none. */
export const Toasts = dynamic(() => import("./toaster").then((module) => module.Toaster), {
  ssr: false,
});
