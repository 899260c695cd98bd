"use client";

import { useState } from "react";
import { FileRow, type ShownFile } from "./file-row";

/**
 * An image of a message. Every refresh of the page brings a new link to the same image, so the first
 * one stays, or the image would load again each time. Where that one has expired before the image
 * was scrolled to, the newest is tried.
 */
export function AttachmentImage({ name, sizeBytes, path }: ShownFile) {
  const [source, setSource] = useState(path);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  if (state === "failed")
    return <FileRow {...{ name, sizeBytes, path }} note="The preview could not be loaded" />;

  const fail = () => (source === path ? setState("failed") : setSource(path));
  return (
    <a
      href={path}
      target="_blank"
      rel="noreferrer"
      className={`block overflow-hidden rounded-xl border border-line bg-sunken ${state === "loading" ? "min-h-24 min-w-24 animate-pulse" : ""}`}
    >
      {/* biome-ignore lint/performance/noImgElement: Next's optimizer would store what only a link may open. */}
      <img
        src={source}
        alt={name}
        loading="lazy"
        className="block max-h-60 max-w-full"
        // It may have loaded, or failed, before this page could listen.
        ref={(image) => {
          if (image?.complete && state === "loading") {
            if (image.naturalWidth > 0) setState("shown");
            else if (image.currentSrc) fail();
          }
        }}
        onLoad={() => setState("shown")}
        onError={fail}
      />
    </a>
  );
}
