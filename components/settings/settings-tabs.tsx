import { type settingsPages, settingsPagesFor } from "@/components/shell/navigation";
import { TabLinks } from "@/components/ui/tabs";
import type { Role } from "@/prisma/generated/enums";

/** Without the pages that the role may not open. */
export function SettingsTabs({
  base,
  role,
  current,
}: {
  base: string;
  role: Role;
  current: (typeof settingsPages)[number]["path"];
}) {
  return (
    <TabLinks
      label="Settings"
      tabs={settingsPagesFor(role).map(({ path, name }) => ({
        name,
        href: `${base}/${path}`,
        isCurrent: path === current,
      }))}
    />
  );
}
