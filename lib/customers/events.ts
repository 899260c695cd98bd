import {
  changeOf,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { type Customer, customer } from "./schema";

const ada: Customer = {
  ...exampleFields,
  id: "cus_01KG9P5Y40A5N0K7R3W9E8S4JG",
  externalId: "user_8412",
  name: "Ada Lovelace",
  email: "ada@example.com",
  phone: "+4930123456",
  locale: "en-GB",
  metadata: { plan: "gold" },
  conversationCount: 1,
};

export const customerEvents: EventDeclarations<"customer"> = {
  "customer.created": eventAbout(customer, {
    description: "A customer was created.",
    triggers: [
      "`POST /customers`, `PUT /customers/by-external-id/{externalId}` with a new `externalId`, or the dashboard.",
      "`POST /conversations` with a `customer` who does not exist yet.",
    ],
    example: { timestamp: exampleTimes.created, request: exampleRequest, object: ada },
  }),
  "customer.updated": changeOf(customer, {
    description: "Fields of a customer changed.",
    triggers: [
      "`PATCH /customers/{customerId}`, `PUT /customers/by-external-id/{externalId}`, or the dashboard.",
      "A change to the values that the customer already has raises nothing.",
      "A new conversation changes `conversationCount`, but does not raise this event.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { ...ada, updatedAt: exampleTimes.changed, email: "ada.lovelace@example.com" },
      previousAttributes: { email: "ada@example.com" },
    },
  }),
};
