import type { Command } from "./command";
import { completion } from "./completion";
import { eventsTail, eventTypes } from "./events";
import { listen } from "./listen";
import { login, logout, whoami } from "./login";
import { logsTail } from "./logs";
import { open } from "./open";
import { trigger } from "./trigger";
import {
  webhooksDeliveries,
  webhooksList,
  webhooksReplay,
  webhooksResend,
  webhooksTest,
} from "./webhooks";

/** Every command, in the order of the help. */
export const commands: Command[] = [
  login,
  logout,
  whoami,
  listen,
  trigger,
  eventsTail,
  eventTypes,
  logsTail,
  webhooksList,
  webhooksDeliveries,
  webhooksTest,
  webhooksResend,
  webhooksReplay,
  open,
  completion(() => commands),
];
