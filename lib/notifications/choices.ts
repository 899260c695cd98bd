/**
 * The topics of notifications and their channels. All of them are on until the user turns them off.
 */
export const notificationTopics = {
  assigned: {
    label: "A conversation is assigned to you",
    note: "By another member, or by an API key.",
    channels: ["dashboard", "mail"],
  },
  mentioned: {
    label: "Someone mentions you",
    note: "A member writes @ and your name in a note or message.",
    channels: ["dashboard", "mail"],
  },
  webhooks: {
    label: "A webhook keeps failing or is disabled",
    note: "Only owners and admins get these.",
    channels: ["mail"],
  },
  quota: {
    label: "Storage reaches 80% or 100% of its quota",
    note: "Once a month for each environment. Only owners and admins get these.",
    channels: ["dashboard", "mail"],
  },
} as const;

export const channelNames = { dashboard: "Dashboard", mail: "Email" } as const;

type Topics = typeof notificationTopics;
export type NotificationTopic = keyof Topics;
export type NotificationChannel = keyof typeof channelNames;
export type NotificationChoice = {
  [Topic in NotificationTopic]: `${Topic}:${Topics[Topic]["channels"][number]}`;
}[NotificationTopic];

export const notificationChoices = Object.entries(notificationTopics).flatMap(
  ([topic, { channels }]) => channels.map((channel) => `${topic}:${channel}`),
) as [NotificationChoice, ...NotificationChoice[]];
