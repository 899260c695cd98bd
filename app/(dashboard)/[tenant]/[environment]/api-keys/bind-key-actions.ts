import type { ActionPlace } from "@/app/(dashboard)/run-action";
import type { KeyActions } from "@/components/api-keys/types";
import {
  createApiKeyAction,
  revokeApiKeyAction,
  rollApiKeyAction,
  updateApiKeyAction,
} from "./actions";

/**
 * The actions of the key dialogs, bound to this page. A new key may belong to the other
 * environment.
 */
export const bindKeyActions = (place: ActionPlace): KeyActions => ({
  create: createApiKeyAction.bind(null, place.tenant),
  update: updateApiKeyAction.bind(null, place),
  roll: rollApiKeyAction.bind(null, place),
  revoke: revokeApiKeyAction.bind(null, place),
});
