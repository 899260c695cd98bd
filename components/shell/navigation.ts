import {
  Bot,
  ChartNoAxesColumn,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LibraryBig,
  type LucideIcon,
  ScrollText,
  Settings,
  ShieldCheck,
  Users,
  Webhook,
  Zap,
} from "lucide-react";
import { hasRole } from "@/lib/platform/roles";
import type { Role } from "@/prisma/generated/enums";

export type NavigationItem = { path: string; name: string; Icon: LucideIcon };

/** The pages of the navigation and of the palette. */
export const dashboardNavigation: { title: string | null; items: NavigationItem[] }[] = [
  { title: null, items: [{ path: "", name: "Overview", Icon: LayoutDashboard }] },
  {
    title: "Support",
    items: [
      { path: "conversations", name: "Conversations", Icon: Inbox },
      { path: "customers", name: "Customers", Icon: Users },
      { path: "agents", name: "Agents", Icon: Bot },
      { path: "knowledge", name: "Knowledge", Icon: LibraryBig },
    ],
  },
  {
    title: "Developers",
    items: [
      { path: "api-keys", name: "API keys", Icon: KeyRound },
      { path: "webhooks", name: "Webhooks", Icon: Webhook },
      { path: "events", name: "Events", Icon: Zap },
      { path: "logs", name: "Logs", Icon: ScrollText },
      { path: "signatures", name: "Signature debugger", Icon: ShieldCheck },
    ],
  },
  {
    title: "Organization",
    items: [
      { path: "usage", name: "Usage", Icon: ChartNoAxesColumn },
      { path: "settings", name: "Settings", Icon: Settings },
    ],
  },
];

/** The tabs of the settings, and who may open each. The palette lists them, too. */
export const settingsPages = [
  { path: "settings", name: "General", role: "VIEWER" },
  { path: "settings/members", name: "Members", role: "VIEWER" },
  { path: "settings/retention", name: "Retention", role: "VIEWER" },
  { path: "settings/access-review", name: "Access review", role: "ADMIN" },
  { path: "settings/audit-log", name: "Audit log", role: "ADMIN" },
  { path: "settings/notifications", name: "Notifications", role: "VIEWER" },
  { path: "settings/profile", name: "Profile", role: "VIEWER" },
] as const satisfies { path: string; name: string; role: Role }[];

export const settingsPagesFor = (role: Role) =>
  settingsPages.filter((page) => hasRole(role, page.role));
