import type { Parlance, StreamEventsQuery, WebhookEvent } from "../src/index";
import { type Command, clientOf, type Input, listOf, type Options, textOf } from "./command";
import { table } from "./output";

/** Which events a command follows. */
export const followOptions: Options = {
  events: { value: "types", description: "only events of these types, separated by commas" },
  from: {
    value: "event",
    description: "continue after this event, or `start` for the oldest one. Default: new events",
  },
};

export function followQuery(values: Parameters<typeof textOf>[0]): StreamEventsQuery {
  const types = listOf(values, "events");
  return {
    ...(types && { types: types as NonNullable<StreamEventsQuery["types"]> }),
    cursor: textOf(values, "from"),
  };
}

/** Follows events, and says when it is connected: from then on it misses none. */
export function follow(
  client: Parlance,
  query: StreamEventsQuery,
  { output, signal }: Pick<Input, "output" | "signal">,
): AsyncIterable<WebhookEvent> {
  let connections = 0;
  const onOpen = () =>
    output.note(connections++ === 0 ? "Connected. Press Ctrl-C to stop." : "Connected again.");
  return client.events.stream(query, { signal, onOpen });
}

export const eventsTail: Command = {
  name: "events tail",
  summary: "Print events as they happen",
  isEndless: true,
  options: followOptions,
  run: async (input) => {
    const { values, output } = input;
    for await (const event of follow(clientOf(values), followQuery(values), input))
      output.result(event, lineOf(event));
  },
};

export const eventTypes: Command = {
  name: "events types",
  summary: "List the types of events",
  run: async ({ values, output, signal }) => {
    const { data } = await clientOf(values).events.types({ signal });
    output.result(data, table(data.map(({ type, description }) => [type, description])));
  },
};

/** One line about an event. */
export const lineOf = ({ timestamp, type, id }: WebhookEvent): string =>
  `${timestamp}  ${type.padEnd(27)}  ${id}`;
