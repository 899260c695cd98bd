import type { DescribedOperation } from "@/components/docs/samples";
import { genericDocument } from "@/lib/api/openapi";
import { errorKinds } from "@/lib/platform/errors";
import { type Parameter, referencePath } from "@/lib/platform/openapi";

/** The tag whose reference page has this name in its path. */
export const tagAt = (slug: string) =>
  genericDocument().tags.find(({ name }) => referencePath(name) === `/docs/reference/${slug}`);

/** The operations of a tag, or of all of them, as the reference shows them. */
export function describedOperations(tag?: string): DescribedOperation[] {
  const { paths, components } = genericDocument();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tag || tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        parameters: (operation.parameters ?? []).map((parameter) =>
          "$ref" in parameter
            ? (components.parameters[parameter.$ref.split("/").at(-1) ?? ""] as Parameter)
            : parameter,
        ),
        body: operation.requestBody?.content["application/json"]?.example,
        takesFile: Boolean(operation.requestBody?.content["multipart/form-data"]),
      })),
  );
}

export const problemTitles: Record<string, string> = Object.fromEntries(
  Object.entries(errorKinds).map(([kind, { title }]) => [kind, title]),
);
