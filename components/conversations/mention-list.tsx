import type { Mentions } from "./use-mentions";

/** The members to mention, above the text. Keys are handled by the text, which has the focus. */
export function MentionList({ mentions }: { mentions: Mentions }) {
  const { suggestions, active, listId, optionId, choose } = mentions;
  const found = suggestions?.members ?? [];
  return (
    <>
      {suggestions ? (
        <div
          role="listbox"
          id={listId}
          aria-label="Members to mention"
          tabIndex={-1}
          className="absolute inset-x-0 bottom-full z-20 mb-1 max-h-64 overflow-y-auto rounded-xl border border-line bg-surface p-1 shadow-lg"
        >
          {found.map((member, index) => (
            <div
              key={member.id}
              role="option"
              id={optionId(index)}
              tabIndex={-1}
              aria-selected={index === active}
              // The focus must stay in the text.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(member);
              }}
              className="flex cursor-pointer items-baseline gap-2 rounded-lg px-2.5 py-1.5 hover:bg-sunken aria-selected:bg-accent-soft"
            >
              <span dir="auto" className="min-w-0 truncate font-medium">
                {member.name}
              </span>
              <span className="min-w-0 truncate text-muted text-xs">{member.email}</span>
            </div>
          ))}
        </div>
      ) : null}
      <p role="status" className="sr-only">
        {suggestions
          ? `${found.length} ${found.length === 1 ? "member" : "members"} to mention. Choose with the arrow keys and Enter.`
          : ""}
      </p>
    </>
  );
}
