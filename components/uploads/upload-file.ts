/** How one upload ended. `errors` by the names of fields. */
export type UploadResult =
  | { outcome: "done"; id: string }
  | {
      outcome: "refused";
      message: string;
      errors: Record<string, string>;
      existingId: string | null;
    }
  /** The connection closed before there was a response. It can be retried. */
  | { outcome: "broken-off"; message: string }
  | { outcome: "canceled" };

type Options = {
  /** The message if the target of the upload was deleted meanwhile. */
  gone: string;
  name?: string;
  onProgress?: (fraction: number) => void;
  signal?: AbortSignal;
};
type UploadResponse = {
  id?: string;
  detail?: string;
  existingId?: string;
  errors?: { pointer: string; message: string }[];
};

/** Uses XMLHttpRequest, because `fetch` does not report how much of a body has been sent. */
export function uploadFile(
  url: string,
  file: File,
  { gone, name, onProgress, signal }: Options,
): Promise<UploadResult> {
  const form = new FormData();
  // The file comes last, so that the server gets the other fields before it.
  if (name) form.append("name", name);
  form.append("file", file);

  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) =>
      onProgress?.(total > 0 ? loaded / total : 0),
    );
    request.addEventListener("load", () => resolve(ended(request, gone)));
    request.addEventListener("error", () =>
      resolve({ outcome: "broken-off", message: "The connection was lost. Try again." }),
    );
    request.addEventListener("abort", () => resolve({ outcome: "canceled" }));
    signal?.addEventListener("abort", () => request.abort());
    request.open("POST", url);
    request.send(form);
  });
}

function ended({ status, responseText }: XMLHttpRequest, gone: string): UploadResult {
  const body = parsed(responseText);
  if (status === 201 && body?.id) return { outcome: "done", id: body.id };
  if (status >= 500)
    return {
      outcome: "broken-off",
      message: body?.detail ?? "Something went wrong on our side.",
    };
  const errors = (body?.errors ?? []).map(
    ({ pointer, message }) => [pointer.slice(1), message.replace(/^\w+: /, "")] as const,
  );
  return {
    outcome: "refused",
    message:
      body?.detail ?? (status === 404 ? gone : `The upload was rejected with status ${status}.`),
    errors: Object.fromEntries(errors),
    existingId: body?.existingId ?? null,
  };
}

function parsed(text: string): UploadResponse | null {
  try {
    return JSON.parse(text) as UploadResponse;
  } catch {
    return null;
  }
}
