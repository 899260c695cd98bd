import type { ComponentProps } from "react";
import { TextField } from "@/components/ui/field";
import type { CustomerField } from "./action-types";

type FieldOf = Pick<ComponentProps<typeof TextField>, "label" | "hint" | "type" | "maxLength">;

const fields: Record<CustomerField, FieldOf> = {
  name: { label: "Name", maxLength: 200 },
  externalId: {
    label: "External ID",
    maxLength: 255,
    hint: "This customer's id in your own system. Must be unique.",
  },
  email: { label: "Email", type: "email", maxLength: 254 },
  phone: {
    label: "Phone",
    type: "tel",
    maxLength: 16,
    hint: "With the country, such as +4930123456.",
  },
  locale: {
    label: "Locale",
    maxLength: 35,
    hint: "A language, with a country if it matters: de-AT.",
  },
};

export const customerFields = Object.keys(fields) as CustomerField[];

type Props = {
  values?: Partial<Record<CustomerField, string | null>>;
  errors: Record<string, string>;
};

/** The text fields of the forms that create and edit a customer. */
export function CustomerFields({ values = {}, errors }: Props) {
  return (
    <>
      {customerFields.map((name) => (
        <TextField
          key={name}
          {...fields[name]}
          name={name}
          defaultValue={values[name] ?? ""}
          autoComplete="off"
          error={errors[name]}
        />
      ))}
    </>
  );
}
