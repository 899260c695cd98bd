import localFont from "next/font/local";

// Geist (LICENSE.txt), reduced to what pages use: weights 400 to 700, and Latin text in a
// file of its own, a third of the size. Browsers load the other file when a name needs it.

const sans = localFont({
  src: "./geist-latin.woff2",
  variable: "--font-geist-sans",
  weight: "400 700",
});

const extended = localFont({
  src: "./geist-extended.woff2",
  variable: "--font-geist-extended",
  weight: "400 700",
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: "unicode-range",
      value:
        "U+0100-0130, U+0132-0151, U+0154-024F, U+0300-052F, U+1E00-1EFF, U+2070-20AB, U+20AD-20BF, U+2100-2121, U+2123-218F, U+2194-21FF",
    },
  ],
});

const mono = localFont({
  src: "./geist-mono-latin.woff2",
  variable: "--font-geist-mono",
  weight: "400 700",
  // Most pages show an id or a key in it, but none waits for it.
  preload: false,
  adjustFontFallback: false,
  fallback: ["ui-monospace", "monospace"],
});

/** Defines the CSS variables of all fonts. */
export const fontVariables = [sans, extended, mono].map(({ variable }) => variable).join(" ");
