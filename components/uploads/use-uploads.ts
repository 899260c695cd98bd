"use client";

import { useRef, useState } from "react";
import { byteSize } from "@/lib/platform/byte-size";
import { type UploadResult, uploadFile } from "./upload-file";

export type Upload = {
  key: number;
  file: File;
  /** The part that has been sent, from 0 to 1; null before the upload starts. */
  progress: number | null;
  sent: UploadResult | null;
};

/** Concurrent uploads. More would only share the same bandwidth. */
const concurrency = 3;

type Options = {
  url: string;
  maximumBytes: number;
  /** The message if the target of the upload was deleted meanwhile. */
  gone: string;
  onDone?: () => void;
};

/** Uploads files, a few at a time, and returns the progress and result of each. */
export function useUploads({ url, maximumBytes, gone, onDone }: Options) {
  const [uploads, setUploads] = useState<Upload[]>([]);
  const waiting = useRef<Upload[]>([]);
  const running = useRef(new Map<number, AbortController>());
  const nextKey = useRef(0);

  const change = (key: number, changes: Partial<Upload>) =>
    setUploads((before) =>
      before.map((upload) => (upload.key === key ? { ...upload, ...changes } : upload)),
    );

  function startNext() {
    while (running.current.size < concurrency) {
      const upload = waiting.current.shift();
      if (!upload) return;
      void send(upload);
    }
  }

  async function send({ key, file }: Upload) {
    const stopping = new AbortController();
    running.current.set(key, stopping);
    change(key, { progress: 0, sent: null });
    const sent = await uploadFile(url, file, {
      gone,
      signal: stopping.signal,
      onProgress: (progress) => change(key, { progress }),
    });
    running.current.delete(key);
    change(key, { sent });
    if (sent.outcome === "done") onDone?.();
    startNext();
  }

  function add(files: Iterable<File>) {
    const added = Array.from(files, (file): Upload => {
      const key = nextKey.current++;
      // Not sent: the server would reject it.
      const sent =
        file.size > maximumBytes
          ? refusedFor(
              `A file can be at most ${byteSize(maximumBytes)}. This one is ${byteSize(file.size)}.`,
            )
          : null;
      return { key, file, progress: null, sent };
    });
    setUploads((before) => [...before, ...added]);
    waiting.current.push(...added.filter(({ sent }) => sent === null));
    startNext();
  }

  function again(upload: Upload) {
    waiting.current.push(upload);
    change(upload.key, { progress: null, sent: null });
    startNext();
  }

  /** Cancels the upload if it is in progress, and removes it from the list. */
  function remove({ key }: Upload) {
    waiting.current = waiting.current.filter((upload) => upload.key !== key);
    running.current.get(key)?.abort();
    setUploads((before) => before.filter((upload) => upload.key !== key));
  }

  const clear = () => setUploads((before) => before.filter(({ sent }) => sent === null));

  return { uploads, add, again, remove, clear };
}

const refusedFor = (message: string): UploadResult => ({
  outcome: "refused",
  message,
  errors: {},
  existingId: null,
});
