"use client";

import { useEffect, useState } from "react";

/** "3 h 12 m", "4 m 10 s", "12 s": the two largest units. */
function inUnits(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3_600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [Math.floor(seconds) % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0 s";
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
}

/**
 * The remaining time, updated every second.
 * @param now the server's time. The countdown starts from it, because the browser's clock may be
 * wrong.
 * @param over shown when the time is up.
 */
export function Countdown({
  until,
  now,
  over = "over",
}: {
  until: Date;
  now: Date;
  over?: string;
}) {
  const nowMs = now.getTime();
  const [currentMs, setCurrentMs] = useState(nowMs);

  // Restarts with each render of the page, which brings a new `now`.
  useEffect(() => {
    const startedAt = performance.now();
    const tick = () => setCurrentMs(nowMs + performance.now() - startedAt);
    tick();
    const timer = setInterval(tick, 1_000);
    return () => clearInterval(timer);
  }, [nowMs]);

  const seconds = Math.ceil((until.getTime() - currentMs) / 1_000);
  return (
    <time
      dateTime={until.toISOString()}
      title={`${until.toISOString().slice(0, 19).replace("T", " ")} UTC`}
      className="tabular-nums"
    >
      {seconds > 0 ? inUnits(seconds) : over}
    </time>
  );
}
