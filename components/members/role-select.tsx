"use client";

import { useState } from "react";
import { SelectField } from "@/components/ui/field";
import type { Role } from "@/prisma/generated/enums";
import type { RoleChoice } from "./types";

type RoleSelectProps = {
  choices: RoleChoice[];
  initial: Role;
  error?: string;
  onChange?: (role: Role) => void;
};

/** The roles that the user can assign, with the description of the chosen one. */
export function RoleSelect({ choices, initial, error, onChange }: RoleSelectProps) {
  const [chosen, setChosen] = useState(initial);
  return (
    <SelectField
      label="Role"
      name="role"
      value={chosen}
      error={error}
      hint={choices.find(({ role }) => role === chosen)?.description}
      onChange={(event) => {
        const role = event.currentTarget.value as Role;
        setChosen(role);
        onChange?.(role);
      }}
    >
      {choices.map(({ role, name }) => (
        <option key={role} value={role}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}
