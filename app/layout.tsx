import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { themeCookie, themes } from "@/components/ui/theme";
import { Toasts } from "@/components/ui/toasts";
import { fontVariables } from "./fonts/fonts";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Parlance", template: "%s · Parlance" },
  description: "A conversation API with reliable webhooks.",
  robots: { index: false },
};

export const viewport: Viewport = {
  width: "device-width",
  initialScale: 1,
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#fbfbfc" },
    { media: "(prefers-color-scheme: dark)", color: "#0d0e11" },
  ],
};

export default async function RootLayout({ children }: { children: ReactNode }) {
  const chosen = (await cookies()).get(themeCookie)?.value;
  return (
    <html
      lang="en"
      className={fontVariables}
      data-theme={themes.find((theme) => theme === chosen)}
      // The palette changes it without rendering the page again.
      suppressHydrationWarning
    >
      <body>
        {/* Its own stacking context, so that dialogs and toasts are above the page. */}
        <div className="isolate min-h-dvh">{children}</div>
        <Toasts />
      </body>
    </html>
  );
}
