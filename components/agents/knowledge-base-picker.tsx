"use client";

import { useId, useState } from "react";

export type KnowledgeBaseChoice = { id: string; name: string };

type Props = {
  choices: KnowledgeBaseChoice[];
  chosen: string[];
  maximum: number;
  onChange: (ids: string[]) => void;
  error?: string | undefined;
};

/** A list of this length or longer has a search field. */
const searchedFrom = 8;

export function KnowledgeBasePicker({ choices, chosen, maximum, onChange, error }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const found = choices.filter(
    (choice) => choice.name.toLowerCase().includes(wanted) || choice.id.toLowerCase() === wanted,
  );
  const isFull = chosen.length >= maximum;

  const toggle = (choice: string) =>
    onChange(
      chosen.includes(choice) ? chosen.filter((other) => other !== choice) : [...chosen, choice],
    );

  return (
    <fieldset className="space-y-1.5" aria-describedby={`${id}-note`}>
      <legend className="mb-1.5 font-medium">Knowledge bases</legend>
      {choices.length >= searchedFrom ? (
        <input
          type="search"
          aria-label="Find a knowledge base"
          placeholder="Find by name or id"
          className="h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-ink placeholder:text-muted max-md:text-base"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          // It is not part of the surrounding form.
          onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
        />
      ) : null}
      {choices.length > 0 ? (
        <ul className="max-h-56 divide-y divide-line overflow-y-auto rounded-lg border border-line">
          {found.map((choice) => {
            const isChosen = chosen.includes(choice.id);
            return (
              <li key={choice.id}>
                <label className="flex items-center gap-2.5 px-3 py-2 hover:bg-sunken">
                  <input
                    type="checkbox"
                    checked={isChosen}
                    disabled={isFull && !isChosen}
                    onChange={() => toggle(choice.id)}
                  />
                  <span className="min-w-0 break-words">{choice.name}</span>
                </label>
              </li>
            );
          })}
          {found.length === 0 ? <li className="px-3 py-2 text-muted">No matches.</li> : null}
        </ul>
      ) : null}
      <p id={`${id}-note`} className={error ? "text-danger" : "text-muted"}>
        {error ??
          (choices.length === 0
            ? "No knowledge bases in this environment yet."
            : `Knowledge bases the agent can search: ${chosen.length} of at most ${maximum} chosen.`)}
      </p>
    </fieldset>
  );
}
