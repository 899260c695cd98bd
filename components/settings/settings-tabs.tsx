import { settingsPages } from "@/components/shell/navigation";
import { TabLinks } from "@/components/ui/tabs";

export function SettingsTabs({
  base,
  current,
}: {
  base: string;
  current: (typeof settingsPages)[number]["path"];
}) {
  return (
    <TabLinks
      label="Settings"
      tabs={settingsPages.map(({ path, name }) => ({
        name,
        href: `${base}/${path}`,
        isCurrent: path === current,
      }))}
    />
  );
}
