import { CopyBlock } from "./copy";
import { Drawer } from "./drawer";
import { Json } from "./json";

type ObjectDrawerProps = {
  /** What kind of thing it is, in a word or two. */
  title: string;
  value: { id: string };
  /** The request that answers it. */
  curl: string;
  closeHref: string;
};

/** A thing exactly as the API answers it, and how to ask for it. */
export function ObjectDrawer({ title, value, curl, closeHref }: ObjectDrawerProps) {
  return (
    <Drawer
      title={title}
      description={<code className="break-all font-mono text-xs">{value.id}</code>}
      closeHref={closeHref}
    >
      <div className="space-y-5">
        <section className="space-y-1.5">
          <h3 className="font-medium">As the API answers it</h3>
          <Json value={value} label={`${title} as JSON`} />
        </section>
        <section className="space-y-1.5">
          <h3 className="font-medium">Ask for it</h3>
          <CopyBlock label="Copy the curl command" text={curl} />
        </section>
      </div>
    </Drawer>
  );
}
