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

type TickingTimeProps = {
  until: Date;
  now: Date;
  over: string;
  title: string;
};

/** The remaining time of `Countdown`, updated every second. */
export function TickingTime({ until, now, over, title }: TickingTimeProps) {
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
    <time dateTime={until.toISOString()} title={title} className="tabular-nums">
      {seconds > 0 ? inUnits(seconds) : over}
    </time>
  );
}
