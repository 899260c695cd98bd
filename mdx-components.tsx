/// <reference types="mdx" />

import type { MDXComponents } from "mdx/types";
import { proseComponents } from "@/components/docs/prose";

/** What Markdown becomes in the guides. Next looks for this file by its name. */
export const useMDXComponents = (): MDXComponents => proseComponents;
