import { createHighlighterCore, type HighlighterCore } from "shiki/core";
import { createJavaScriptRegexEngine } from "shiki/engine/javascript";
import bash from "shiki/langs/bash.mjs";
import go from "shiki/langs/go.mjs";
import http from "shiki/langs/http.mjs";
import java from "shiki/langs/java.mjs";
import javascript from "shiki/langs/javascript.mjs";
import json from "shiki/langs/json.mjs";
import php from "shiki/langs/php.mjs";
import python from "shiki/langs/python.mjs";
import ruby from "shiki/langs/ruby.mjs";
import typescript from "shiki/langs/typescript.mjs";
import dark from "shiki/themes/github-dark-high-contrast.mjs";
import light from "shiki/themes/github-light-high-contrast.mjs";

export const languages = [
  "bash",
  "go",
  "http",
  "java",
  "javascript",
  "json",
  "php",
  "python",
  "ruby",
  "typescript",
  "text",
] as const;
export type Language = (typeof languages)[number];

let highlighter: Promise<HighlighterCore> | undefined;

// The code of guides and reference is the same for everyone, so most of it is highlighted once per process.
const known = new Map<string, string>();
const mostKnown = 2_000;

/** The code as HTML, highlighted for both the light and the dark theme. */
export async function highlight(code: string, language: Language): Promise<string> {
  const key = `${language}\n${code}`;
  const found = known.get(key);
  if (found) return found;

  highlighter ??= createHighlighterCore({
    langs: [bash, go, http, java, javascript, json, php, python, ruby, typescript],
    themes: [light, dark],
    engine: createJavaScriptRegexEngine(),
  });
  const html = (await highlighter).codeToHtml(code, {
    lang: language,
    themes: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    defaultColor: "light-dark()",
    // Half of the size: no variables that repeat the colors, and no element for each of two words
    // of one color.
    colorsRendering: "none",
    mergeSameStyleTokens: true,
    // A scrollable block must be reachable with the keyboard. shiki adds the tabindex
    // itself.
    transformers: [
      {
        pre(node) {
          node.properties.style = "";
          node.properties.class = "docs-code";
        },
      },
    ],
  });
  if (known.size >= mostKnown) known.clear();
  known.set(key, html);
  return html;
}
