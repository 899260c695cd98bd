import { type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import type { ListMembers, Member } from "./action-types";
import { findSuggestions, mentionOf, type Suggestions } from "./find-mention";

type Options = {
  area: RefObject<HTMLTextAreaElement | null>;
  isOn: boolean;
  listMembers: ListMembers;
  write: (text: string) => void;
};

const listKeys = new Set(["ArrowDown", "ArrowUp", "Enter", "Tab", "Escape"]);
const caretKeys = /^(Arrow|Home|End|Page)/;

export type Mentions = ReturnType<typeof useMentions>;

/**
 * Suggests members while `@` and a name are typed. The focus stays in the text, and the arrow keys
 * move through the list. Members are loaded once, with the first `@`.
 */
export function useMentions({ area, isOn, listMembers, write }: Options) {
  const listId = useId();
  const members = useRef<Promise<Member[]>>(undefined);
  const everyone = useRef<Member[]>([]);
  const [suggestions, setSuggestions] = useState<Suggestions | null>(null);
  const [active, setActive] = useState(0);

  const close = () => setSuggestions(null);

  function load(): Promise<Member[]> {
    members.current ??= listMembers().then(
      (result) => (result.outcome === "done" ? result.value : []),
      () => {
        // The next `@` tries again.
        members.current = undefined;
        return [];
      },
    );
    return members.current;
  }

  /** Call it after each change of the text. */
  async function find(): Promise<void> {
    const before = textBeforeCaret(area.current);
    if (!isOn || !before.includes("@")) return close();
    everyone.current = await load();
    // The user may have left the text while the members were loading, or typed more.
    if (document.activeElement !== area.current) return close();
    setActive(0);
    setSuggestions(findSuggestions(textBeforeCaret(area.current), everyone.current));
  }

  function choose(member: Member | undefined): void {
    const field = area.current;
    if (!field || !member || !suggestions) return;
    const mention = mentionOf(member, everyone.current);
    field.setRangeText(mention, suggestions.start, field.selectionStart, "end");
    write(field.value);
    close();
    field.focus();
  }

  /** @returns whether the key was for the list */
  function onKeyDown(event: KeyboardEvent): boolean {
    if (!suggestions || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing)
      return false;
    const count = suggestions.members.length;
    if (event.shiftKey || !listKeys.has(event.key)) {
      // The caret leaves the mention, so a choice would replace other text.
      if (caretKeys.test(event.key)) close();
      return false;
    }
    event.preventDefault();
    if (event.key === "ArrowDown") setActive((active + 1) % count);
    else if (event.key === "ArrowUp") setActive((active + count - 1) % count);
    else if (event.key === "Escape") close();
    else choose(suggestions.members[active]);
    return true;
  }

  const optionId = (index: number) => `${listId}-${index}`;
  const isOpen = suggestions !== null;
  return {
    ...{ suggestions, active, listId, optionId, choose, close, find, onKeyDown },
    textProps: {
      onBlur: close,
      onClick: close,
      "aria-autocomplete": isOn ? ("list" as const) : undefined,
      "aria-haspopup": isOn ? ("listbox" as const) : undefined,
      "aria-controls": isOpen ? listId : undefined,
      "aria-activedescendant": isOpen ? optionId(active) : undefined,
    },
  };
}

const textBeforeCaret = (field: HTMLTextAreaElement | null) =>
  field?.value.slice(0, field.selectionStart) ?? "";
