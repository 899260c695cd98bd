import { Parlance } from "../src/index";
import { readConfig } from "./config";
import type { Output } from "./output";

/** An option with a `value` takes one; the others are switches. */
export type Options = Record<string, { value?: string; description: string }>;

type Values = Record<string, string | boolean | undefined>;

export type Input = {
  args: string[];
  values: Values;
  output: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
};

export type Command = {
  /** One or two words. */
  name: string;
  summary: string;
  /** The names of its arguments, with a question mark if they can be left out. */
  arguments?: string[];
  /** What the first argument can be, for completion. */
  choices?: readonly string[];
  options?: Options;
  /** More help, below the options. */
  details?: string;
  /** Runs until Ctrl-C, which is not a failure then. */
  isEndless?: true;
  run: (input: Input) => Promise<void>;
};

export const commonOptions: Options = {
  "api-key": {
    value: "key",
    description: "the API key. Default: PARLANCE_API_KEY, or else the key of `parlance login`",
  },
  "base-url": {
    value: "url",
    description:
      "the URL of the service. Default: PARLANCE_BASE_URL, or else that of `parlance login`",
  },
  json: { description: "print JSON, one value per line" },
  help: { description: "show this help" },
};

/** The arguments are invalid. */
export class UsageError extends Error {
  constructor(
    message: string,
    readonly command?: Command,
  ) {
    super(message);
  }
}

export const defaultBaseUrl = "http://localhost:3000";

export function textOf(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
}

/** Values separated by commas. */
export const listOf = (values: Values, name: string): string[] | undefined =>
  textOf(values, name)
    ?.split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

export function baseUrlOf(values: Values): string {
  const given =
    textOf(values, "base-url") ??
    (process.env.PARLANCE_BASE_URL || readConfig().baseUrl || defaultBaseUrl);
  const url = /^(localhost|127\.0\.0\.1|\[::1\])(?=[:/]|$)/.test(given) ? `http://${given}` : given;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(
      `The URL of the service must start with http:// or https://. "${given}" does not.`,
    );
  return url;
}

export function apiKeyOf(values: Values): string {
  const apiKey = textOf(values, "api-key") ?? (process.env.PARLANCE_API_KEY || readConfig().apiKey);
  if (!apiKey)
    throw new UsageError(
      "There is no API key. Run `parlance login`, set PARLANCE_API_KEY, or use --api-key.",
    );
  return apiKey;
}

export function clientOf(values: Values): Parlance {
  return new Parlance(apiKeyOf(values), { baseUrl: baseUrlOf(values) });
}
