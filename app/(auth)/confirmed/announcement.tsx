"use client";

import { useEffect } from "react";
import { announceProof } from "@/components/profile/proof-channel";

export function Announcement() {
  useEffect(() => {
    announceProof();
    window.close();
  }, []);
  return null;
}
