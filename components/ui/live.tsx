"use client";

import { useContext } from "react";
import { BehindNote, IsBehind } from "./behind";
import { useRedraw } from "./use-redraw";

/**
 * Draws the page anew from time to time, while it is looked at. What is typed or open in it stays.
 */
export function Live({ everyMs }: { everyMs?: number }) {
  // A page that could not be drawn anew is tried again by whoever keeps the old one.
  const isBehind = useContext(IsBehind);
  const { isUnreachable } = useRedraw({ everyMs, isPaused: isBehind });
  return isUnreachable ? <BehindNote /> : null;
}
