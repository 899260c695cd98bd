"use client";

import dynamic from "next/dynamic";
import type { ReactNode } from "react";

// Loaded when it opens. The server renders no dialogs anyway.
const DrawerPanel = dynamic(() => import("./drawer-panel").then((module) => module.DrawerPanel), {
  ssr: false,
});

/**
 * The neighbors of the item shown. `name` describes the link, and `href` is null at an end of the list.
 */
export type Neighbors = { previous: Neighbor; next: Neighbor };
export type Neighbor = { name: string; href: string | null };

export type DrawerProps = {
  title: ReactNode;
  description?: ReactNode;
  closeHref: string;
  neighbors?: Neighbors;
  children: ReactNode;
};

/**
 * A panel over the right side of the page, for one item of its list. It has its own URL (a query
 * parameter of the page), so it can be linked to. Closing it opens `closeHref`. If the item's
 * neighbors are given, the arrow keys open them.
 */
export const Drawer = (props: DrawerProps) => <DrawerPanel {...props} />;
