import { cookies } from "next/headers";
import { cache } from "react";
import { timeCookies } from "@/components/shell/time-cookies";
import { setViewerTime } from "@/components/ui/viewer-time";
import { isTimeZone } from "@/lib/platform/zoned-time";

/** Reads from the browser's cookies how the viewer wants to read times, and sets it for this request. */
export const readViewerTime = cache(async () => {
  const jar = await cookies();
  const browserZone = jar.get(timeCookies.zone)?.value ?? null;
  const isUtc = jar.get(timeCookies.isUtc) !== undefined;
  const isExact = jar.get(timeCookies.isExact) !== undefined;
  const zone = browserZone && !isUtc && isTimeZone(browserZone) ? browserZone : "UTC";
  setViewerTime({ zone, isExact });
  return { zone, browserZone, isUtc, isExact };
});
