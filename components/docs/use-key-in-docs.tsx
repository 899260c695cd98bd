"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { setKey } from "./try-key";

/** Fills in a new test key wherever the API reference asks for one, as if it was entered there. */
export function UseKeyInDocs({ apiKey }: { apiKey: string }) {
  const [isUsed, setIsUsed] = useState(false);
  function use() {
    setKey(apiKey);
    setIsUsed(true);
  }
  return (
    <div className="space-y-1.5">
      <h3 className="font-medium">In the API reference</h3>
      <p className="text-muted">
        Send requests from the documentation, without a terminal. The key stays in this tab until
        you close it.
      </p>
      <Button variant="secondary" onClick={use} disabled={isUsed}>
        {isUsed ? "The reference uses this key" : "Use this key in the reference"}
      </Button>
    </div>
  );
}
