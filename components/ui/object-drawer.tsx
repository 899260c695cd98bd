import { CopyBlock } from "./copy";
import { Drawer } from "./drawer";
import { Json } from "./json";

type ObjectDrawerProps = {
  /** The name of the object's type. */
  title: string;
  value: { id: string };
  /** The request that returns it. */
  curl: string;
  closeHref: string;
  base: string;
};

/** An object exactly as the API returns it, and the request that returns it. */
export function ObjectDrawer({ title, value, curl, closeHref, base }: ObjectDrawerProps) {
  return (
    <Drawer
      title={title}
      description={<code className="break-all font-mono text-xs">{value.id}</code>}
      closeHref={closeHref}
    >
      <div className="space-y-5">
        <section className="space-y-1.5">
          <h3 className="font-medium">API response</h3>
          <Json value={value} label={`${title} as JSON`} base={base} />
        </section>
        <section className="space-y-1.5">
          <h3 className="font-medium">Request</h3>
          <CopyBlock label="Copy the curl command" text={curl} />
        </section>
      </div>
    </Drawer>
  );
}
