import { sampleLanguages } from "@/components/docs/sample-languages";
import type { ApiCall, ApiCallSamples } from "@/components/shell/api-call";
import type { JsonValue } from "@/lib/platform/openapi";
import { describedOperations } from "./described";

const shown = ["curl", "TypeScript", "Python"];

/** A request with the ids and the body of a form, written as the samples of the reference are. */
export function apiCallSamples(
  { operationId, ids = {}, body, file }: ApiCall,
  origin: string,
): ApiCallSamples | null {
  const described = describedOperations().find(
    ({ operation }) => operation.operationId === operationId,
  );
  if (!described) return null;
  const parameters = described.parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => ({ ...parameter, example: ids[parameter.name] ?? parameter.name }));
  const call = {
    ...described,
    parameters,
    // Next to a file, the operation takes no JSON.
    body: file === undefined ? (body as JsonValue) : undefined,
    takesFile: file !== undefined,
    file,
  };
  return {
    scope: described.operation["x-required-scope"] ?? "",
    samples: sampleLanguages
      .filter(({ name }) => shown.includes(name))
      .map(({ name, write }) => ({ name, code: write(call, origin) })),
  };
}
