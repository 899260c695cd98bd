/** The cookie with the visitor's choice of colors. Without it, the system decides. */
export const themeCookie = "theme";

export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

const yearSeconds = 31_536_000;

/** In the browser: changes between light and dark, now and for later visits. */
export function toggleTheme(): void {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : window.matchMedia("(prefers-color-scheme: dark)").matches;
  chooseTheme(isDark ? "light" : "dark");
}

/** @param theme null to leave it to the system */
export function chooseTheme(theme: Theme | null): void {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  const value = `${themeCookie}=${theme ?? ""}; path=/; samesite=lax`;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on pages without https.
  document.cookie = `${value}; max-age=${theme ? yearSeconds : 0}`;
}
