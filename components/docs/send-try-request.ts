import { randomKey } from "@/components/ui/random-key";

export type TryField = {
  name: string;
  place: "path" | "query";
  isRequired: boolean;
  placeholder: string;
};

export type Outcome = { status: number; ms: number; headers: [string, string][]; text: string };

type RequestOptions = {
  apiKey: string;
  method: string;
  path: string;
  fields: TryField[];
  form: FormData;
  isForm: boolean;
  hasBody: boolean;
};

/** Sends the request that the form of an operation describes. */
export async function sendTryRequest({
  apiKey,
  method,
  path,
  fields,
  form,
  isForm,
  hasBody,
}: RequestOptions): Promise<Outcome> {
  const entered = (field: TryField) =>
    String(form.get(`${field.place}:${field.name}`) ?? "").trim();
  const search = new URLSearchParams();
  let target = path;
  for (const field of fields) {
    const value = entered(field);
    if (field.place === "path")
      target = target.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value !== "") search.set(field.name, value);
  }
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}` };
  if (method !== "GET") headers["Idempotency-Key"] = randomKey();
  const content = hasBody ? contentOf(form, isForm) : undefined;
  if (typeof content === "string") headers["Content-Type"] = "application/json";

  const startedAt = performance.now();
  const response = await fetch(`${target}${search.size > 0 ? `?${search}` : ""}`, {
    method,
    headers,
    ...(content && { body: content }),
  });
  const text = await response.text();
  return {
    status: response.status,
    ms: Math.round(performance.now() - startedAt),
    headers: [...response.headers],
    text: pretty(text),
  };
}

function contentOf(form: FormData, isForm: boolean): string | FormData {
  if (!isForm) return String(form.get("body") ?? "");
  const upload = new FormData();
  const file = form.get("file");
  if (file) upload.set("file", file);
  return upload;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
