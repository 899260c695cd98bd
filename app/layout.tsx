import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { Toasts } from "@/components/ui/toasts";
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

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`}>
      <body>
        {/* Its own stacking context, so that dialogs and toasts are above the page. */}
        <div className="isolate min-h-dvh">{children}</div>
        <Toasts />
      </body>
    </html>
  );
}
