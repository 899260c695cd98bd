import { createAgentBody } from "@/lib/agents/schema";
import type { CreateMessage } from "@/lib/conversations/message-schema";
import type { UpdateConversation } from "@/lib/conversations/schema";

/** In metadata, so that programs can recognize it. What is removed is decided by ids. */
export const metadata = { sample: true };

export const sampleCustomers = {
  ada: { name: "Ada Lovelace", email: "ada@example.com", locale: "en-GB", metadata },
  rosa: { name: "Rosa Parker", email: "rosa@example.com", locale: "de-AT", metadata },
  grace: { name: "Grace Hopper", email: "grace@example.com", locale: "en-US", metadata },
  mary: { name: "Mary Jackson", email: "mary@example.com", locale: "en-US", metadata },
} as const;

type SampleConversation = {
  customer: keyof typeof sampleCustomers;
  channelId: string;
  subject: string;
  priority: "NORMAL" | "HIGH" | "URGENT";
  tags: string[];
  metadata: typeof metadata;
  messages: CreateMessage[];
  changes?: UpdateConversation;
};

const team = { type: "USER", name: "Sample teammate" } as const;

/** A conversation in each of the usual states. */
export const sampleConversations: SampleConversation[] = [
  {
    customer: "ada",
    channelId: "email",
    subject: "Where is my order?",
    priority: "URGENT",
    tags: ["shipping"],
    metadata,
    messages: [
      { text: "Hello, I ordered a lamp a week ago. Order 1042. Where is it?" },
      { text: "Let me check that for you.", author: team },
      { text: "Thank you! I need it by Friday." },
    ],
  },
  {
    customer: "rosa",
    channelId: "web",
    subject: "Invoice with a VAT number",
    priority: "NORMAL",
    tags: ["billing"],
    metadata,
    messages: [
      { text: "Can you add our VAT number to the invoice?" },
      { text: "Of course. Which number should we use?", author: team },
    ],
    changes: { status: "PENDING" },
  },
  {
    customer: "grace",
    channelId: "web",
    subject: "The lamp flickers",
    priority: "HIGH",
    tags: ["defect", "returns"],
    metadata,
    messages: [
      { text: "The lamp flickers when I dim it." },
      { text: "Model L2. Ask for a video.", author: team, direction: "INTERNAL" },
      { text: "I'm sorry to hear that. Can you send a video?", author: team },
    ],
  },
  {
    customer: "mary",
    channelId: "email",
    subject: "Thank you",
    priority: "NORMAL",
    tags: [],
    metadata,
    messages: [
      { text: "The replacement arrived today. Thank you for the quick help!" },
      { text: "We are glad it works. Have a nice day!", author: team },
    ],
    changes: { status: "RESOLVED" },
  },
];

export const sampleAgent = createAgentBody.parse({
  name: "Sample: order questions",
  description: "A draft to look around. Your own program runs it.",
  instructions: "Be brief and friendly. Ask for the order number before anything else.",
  greeting: "Hello! How can I help?",
  metadata,
});
