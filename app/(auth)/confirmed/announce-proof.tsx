"use client";

import { useEffect } from "react";
import { announceProof } from "@/components/profile/proof-broadcast";

export function AnnounceProof() {
  useEffect(() => {
    announceProof();
    window.close();
  }, []);
  return null;
}
