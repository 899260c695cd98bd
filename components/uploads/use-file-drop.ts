import { type DragEvent, useState } from "react";

/** Takes files that are dropped on an element with these handlers. */
export function useFileDrop(add: (files: File[]) => void) {
  // The event for entering a child comes before the one for leaving its parent, so count the depth.
  const [depth, setDepth] = useState(0);
  const [note, setNote] = useState<string | null>(null);

  function onDrop(event: DragEvent) {
    event.preventDefault();
    setDepth(0);
    const items = Array.from(event.dataTransfer.items);
    const hasFolder = items.some((item) => item.webkitGetAsEntry()?.isDirectory);
    setNote(hasFolder ? "Folders cannot be uploaded. Drop the files inside them." : null);
    const files = items
      .filter((item) => item.kind === "file" && !item.webkitGetAsEntry()?.isDirectory)
      .flatMap((item) => item.getAsFile() ?? []);
    add(files);
  }

  const handlers = {
    onDragEnter: (event: DragEvent) => {
      event.preventDefault();
      setDepth(depth + 1);
    },
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDragLeave: () => setDepth(Math.max(0, depth - 1)),
    onDrop,
  };
  return { isOver: depth > 0, note, clearNote: () => setNote(null), handlers };
}
