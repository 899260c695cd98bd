import { sampleLanguages } from "@/components/docs/sample-languages";
import type { ApiCall, ApiCallSamples } from "@/components/shell/api-call";
import type { JsonValue } from "@/lib/platform/openapi";
import { describedOperations } from "./described";

const shown = ["curl", "TypeScript", "Python"];

/** A request with the ids and the body of a form, written as the samples of the reference are. */
export function apiCallSamples(
  { operationId, ids = {}, body }: ApiCall,
  origin: string,
): ApiCallSamples | null {
  const described = describedOperations().find(
    ({ operation }) => operation.operationId === operationId,
  );
  if (!described) return null;
  const parameters = described.parameters
    .filter((parameter) => parameter.in === "path")
    .map((parameter) => ({ ...parameter, example: ids[parameter.name] ?? parameter.name }));
  const call = { ...described, parameters, body: body as JsonValue, takesFile: false };
  return {
    scope: described.operation["x-required-scope"] ?? "",
    samples: sampleLanguages
      .filter(({ name }) => shown.includes(name))
      .map(({ name, write }) => ({ name, code: write(call, origin) })),
  };
}
