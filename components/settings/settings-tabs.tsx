import { TabLinks } from "@/components/ui/tabs";

const pages = [
  { path: "settings", name: "General" },
  { path: "settings/members", name: "Members" },
  { path: "settings/access-review", name: "Access review" },
  { path: "settings/audit-log", name: "Audit log" },
  { path: "settings/profile", name: "Profile" },
] as const;

export function SettingsTabs({
  base,
  current,
}: {
  base: string;
  current: (typeof pages)[number]["path"];
}) {
  return (
    <TabLinks
      label="Settings"
      tabs={pages.map(({ path, name }) => ({
        name,
        href: `${base}/${path}`,
        isCurrent: path === current,
      }))}
    />
  );
}
