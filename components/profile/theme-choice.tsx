"use client";

import { useId, useSyncExternalStore } from "react";
import { chooseTheme, type Theme, themes } from "@/components/ui/theme";

const names: Record<Theme | "system", string> = {
  system: "Same as system",
  light: "Light",
  dark: "Dark",
};

/** The command palette changes it, too. */
function subscribe(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** Colors are a setting of this browser, not of the account. */
export function ThemeChoice({ chosen }: { chosen: Theme | null }) {
  const id = useId();
  const current = useSyncExternalStore(
    subscribe,
    () => document.documentElement.dataset.theme ?? "system",
    () => chosen ?? "system",
  );
  return (
    <div className="space-y-1.5">
      <label htmlFor={id} className="block font-medium">
        Colors
      </label>
      <select
        id={id}
        value={current}
        onChange={(event) =>
          chooseTheme(themes.find((theme) => theme === event.currentTarget.value) ?? null)
        }
        className="h-9 w-full max-w-md rounded-lg border border-line-strong bg-surface px-3 text-ink max-md:text-base"
      >
        {(["system", ...themes] as const).map((theme) => (
          <option key={theme} value={theme}>
            {names[theme]}
          </option>
        ))}
      </select>
      <p className="text-muted">Remembered in this browser.</p>
    </div>
  );
}
