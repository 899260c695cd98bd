import type { Metadata } from "next";
import { notFound, unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { InvalidQuery } from "@/components/shell/invalid-query";
import { LastGoodRender } from "@/components/shell/last-good-render";
import { NoPermission } from "@/components/shell/no-permission";
import { currentRequestId, dashboardCaller } from "@/lib/auth/dashboard-caller";
import type { Caller } from "@/lib/platform/caller";
import { AppError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { RoleMissing, roleNames } from "@/lib/platform/roles";
import { readViewerTime } from "./read-viewer-time";
import { requirePossibleIds } from "./require-possible-ids";

type Params = { tenant: string; environment: string } & Record<string, string>;
export type Query = Record<string, string | string[] | undefined>;
type PageProps = { params: Promise<Params>; searchParams: Promise<Query> };

export type PageContext<Part extends string = never> = Awaited<
  ReturnType<typeof dashboardCaller>
> & {
  /** The remaining parameters of the path, for example an ID. */
  params: Record<Part, string>;
  query: Query;
  /** `/{tenant}/{environment}`: the prefix of every link inside the dashboard. */
  base: string;
  now: Date;
};

/**
 * Makes a page of the dashboard from its render function (`dashboardPage<"webhookId">` if its path
 * has parameters of its own). Each page checks the user itself, because Next does not render a
 * layout again when its page changes. There is no `loading.tsx`, because it would send the status
 * 200 before the page knows whether its object exists. A missing object renders the not-found page;
 * a missing permission or an invalid query renders its explanation. Any other error keeps the last
 * good render, or shows the request's ID.
 */
export function dashboardPage<Part extends string = never>(
  render: (visit: PageContext<Part>) => Promise<ReactNode>,
) {
  // biome-ignore lint/correctness/noComponentHookFactories: it is called once for each page, when its module is loaded.
  return async function Page({ params, searchParams }: PageProps) {
    const { tenant: slug, environment: name, ...further } = await params;
    return renderOrKeepLast(async () => {
      requirePossibleIds(further);
      const [place] = await Promise.all([dashboardCaller(slug, name), readViewerTime()]);
      const base = `/${place.tenant.slug}/${place.environment}`;
      try {
        return await render({
          ...place,
          params: further as Record<Part, string>,
          query: await searchParams,
          base,
          now: new Date(),
        });
      } catch (error) {
        if (error instanceof RoleMissing)
          return <NoPermission sentence={error.detail} roleName={roleNames[place.role]} />;
        if (error instanceof AppError && error.kind === "not-found") notFound();
        if (error instanceof AppError && error.status === 422)
          return <InvalidQuery detail={error.detail} />;
        throw error;
      }
    });
  };
}

/**
 * The `generateMetadata` of a page about one object: `{name} · {section}`.
 * @param nameOf reads the object. Use a function from `cache`, so that the page does not read it
 * again.
 */
export function objectTitle<Part extends string>(
  section: string,
  nameOf: (caller: Caller, params: Record<Part, string>) => Promise<string>,
) {
  return async function generateMetadata({ params }: PageProps): Promise<Metadata> {
    const { tenant: slug, environment: name, ...further } = await params;
    requirePossibleIds(further);
    const { caller } = await dashboardCaller(slug, name);
    try {
      return { title: `${await nameOf(caller, further as Record<Part, string>)} · ${section}` };
    } catch (error) {
      unstable_rethrow(error);
      // The page itself shows what went wrong.
      return { title: section };
    }
  };
}

/** Renders something that stays on the screen when refreshing it fails. */
export async function renderOrKeepLast(render: () => Promise<ReactNode>, { isFrame = false } = {}) {
  try {
    return <LastGoodRender isFrame={isFrame}>{await render()}</LastGoodRender>;
  } catch (error) {
    // Next throws redirects and not-found pages, too.
    unstable_rethrow(error);
    const requestId = currentRequestId();
    log.error({ err: error, requestId }, "a page could not be rendered");
    return <LastGoodRender isFrame={isFrame} failedRequest={requestId} />;
  }
}
