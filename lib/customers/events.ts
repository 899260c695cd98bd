import {
  changeOf,
  type EventDeclarations,
  eventAbout,
  exampleFields,
  exampleRequest,
  exampleTimes,
} from "@/lib/events/declare-event";
import { type Customer, customer, deletedCustomer, erasedCustomer } from "./schema";

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
  erasedAt: null,
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
  "customer.deleted": eventAbout(deletedCustomer, {
    description: "A customer was deleted. The object has only ids.",
    triggers: [
      "`DELETE /customers/{customerId}`, or a member who deletes a customer in the dashboard.",
      "With `cascade=true`, `conversation.deleted` is raised for each conversation first.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: exampleRequest,
      object: { id: ada.id, environment: "test" },
    },
  }),
  "customer.erased": eventAbout(erasedCustomer, {
    description:
      "The erasure of a customer was completed: all personal data is removed. The object has only ids.",
    triggers: [
      "`POST /customers/{customerId}/erase`, or the dashboard, after the background work is done.",
      "`erasureId` is the receipt, which `GET /erasures/{erasureId}` returns.",
    ],
    example: {
      timestamp: exampleTimes.changed,
      request: null,
      object: {
        id: ada.id,
        environment: "test",
        erasureId: "ers_01KG9P5Y40B3D6F9H2K5N8Q1SV",
      },
    },
  }),
};
