import { SelectField, TextField } from "@/components/ui/field";
import { maximumPerSecond, type StoredDeliveryOptions } from "@/lib/webhooks/delivery-options";

type DeliveryFieldsProps = {
  options: StoredDeliveryOptions;
  onChange: (options: StoredDeliveryOptions) => void;
  errors: Record<string, string>;
};

/** How a webhook's deliveries are sent, and whether their responses can reply. */
export function DeliveryFields({ options, onChange, errors }: DeliveryFieldsProps) {
  const change = (changed: Partial<StoredDeliveryOptions>) => onChange({ ...options, ...changed });
  return (
    <fieldset className="space-y-4">
      <legend className="mb-2 font-medium">Delivery</legend>
      <TextField
        label="Maximum per second"
        name="maxPerSecond"
        type="number"
        min={1}
        max={maximumPerSecond}
        step={1}
        placeholder="No limit"
        value={options.maxPerSecond ?? ""}
        onChange={({ target }) =>
          change({ maxPerSecond: target.value === "" ? null : Number(target.value) })
        }
        hint="1 to 1,000. Events above the limit wait, and do not use up attempts. Leave empty for no limit."
        error={errors.maxPerSecond}
      />
      <SelectField
        label="Order"
        name="ordering"
        value={options.ordering}
        onChange={({ target }) =>
          change({ ordering: target.value as StoredDeliveryOptions["ordering"] })
        }
        hint={
          options.ordering === "conversation"
            ? "The events of a conversation wait for each other. A failing conversation delays no other."
            : "Events are sent as soon as possible, in any order."
        }
        error={errors.ordering}
      >
        <option value="none">Any order</option>
        <option value="conversation">In order within each conversation</option>
      </SelectField>
      {options.ordering === "conversation" ? (
        <SelectField
          label="After the last attempt fails"
          name="onExhausted"
          value={options.onExhausted}
          onChange={({ target }) =>
            change({ onExhausted: target.value as StoredDeliveryOptions["onExhausted"] })
          }
          hint={
            options.onExhausted === "hold"
              ? "The failed event is held. Resend or discard it, and the conversation continues."
              : "The conversation's later events are sent without it."
          }
          error={errors.onExhausted}
        >
          <option value="continue">Continue with the next event</option>
          <option value="hold">Hold the conversation</option>
        </SelectField>
      ) : null}
      <SelectField
        label="Signature"
        name="signatureScheme"
        value={options.signatureScheme}
        onChange={({ target }) =>
          change({ signatureScheme: target.value as StoredDeliveryOptions["signatureScheme"] })
        }
        hint={schemes[options.signatureScheme].hint}
        error={errors.signatureScheme}
      >
        {Object.entries(schemes).map(([scheme, { name }]) => (
          <option key={scheme} value={scheme}>
            {name}
          </option>
        ))}
      </SelectField>
      <label className="flex items-start gap-2.5">
        <input
          type="checkbox"
          name="acceptsReplies"
          className="mt-1"
          checked={options.acceptsReplies}
          onChange={({ target }) => change({ acceptsReplies: target.checked })}
        />
        <span>
          Accept replies in responses
          <span className="block text-muted">
            A response to message.received can contain a reply, which is posted to the conversation
            as a message of its agent.
          </span>
        </span>
      </label>
    </fieldset>
  );
}

const orders: Record<StoredDeliveryOptions["ordering"], string> = {
  none: "Any order",
  conversation: "In order within each conversation",
};

const schemes: Record<StoredDeliveryOptions["signatureScheme"], { name: string; hint: string }> = {
  hmac: { name: "Secret (HMAC)", hint: "Receivers verify deliveries with the signing secret." },
  ed25519: {
    name: "Key pair (Ed25519)",
    hint: "webhook-signature has only v1a signatures, so receivers need only a public key.",
  },
  both: {
    name: "Both",
    hint: "webhook-signature has v1 and v1a, so a receiver can use the secret or a public key.",
  },
};

/** The same options as facts, for the webhook's page. */
export const deliveryFacts = ({
  maxPerSecond,
  ordering,
  onExhausted,
  signatureScheme,
  acceptsReplies,
}: StoredDeliveryOptions) => [
  {
    name: "Maximum per second",
    value: maxPerSecond === null ? "No limit" : maxPerSecond.toLocaleString("en"),
  },
  {
    name: "Order",
    value:
      ordering === "conversation" && onExhausted === "hold"
        ? `${orders[ordering]}, held after the last attempt`
        : orders[ordering],
  },
  { name: "Signature", value: schemes[signatureScheme].name },
  { name: "Replies in responses", value: acceptsReplies ? "Accepted" : "Ignored" },
];
