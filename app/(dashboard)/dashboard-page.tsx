import { notFound, unstable_rethrow } from "next/navigation";
import type { ReactNode } from "react";
import { InvalidQuery } from "@/components/shell/invalid-query";
import { LastGoodRender } from "@/components/shell/last-good-render";
import { NoPermission } from "@/components/shell/no-permission";
import { currentRequestId, dashboardCaller } from "@/lib/auth/dashboard-caller";
import { AppError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { RoleMissing, roleNames } from "@/lib/platform/roles";

type Params = { tenant: string; environment: string } & Record<string, string>;
export type Query = Record<string, string | string[] | undefined>;
type PageProps = { params: Promise<Params>; searchParams: Promise<Query> };

export type PageContext<Part extends string = never> = Awaited<
  ReturnType<typeof dashboardCaller>
> & {
  /** The path's further parts, an id for example. */
  params: Record<Part, string>;
  query: Query;
  /** `/{tenant}/{environment}`: what every link inside the dashboard begins with. */
  base: string;
  now: Date;
};

/**
 * Makes a page of the dashboard from what it draws (`dashboardPage<"webhookId">` where its path has parts
 * of its own): each page finds out for itself who looks at it, because Next keeps a layout while
 * its pages change. What is not there is the not-found page; what the role does not allow and what
 * cannot be read in the address are said in its place; anything else leaves the page as it was, or
 * says so with the request's id.
 */
export function dashboardPage<Part extends string = never>(
  render: (visit: PageContext<Part>) => Promise<ReactNode>,
) {
  // biome-ignore lint/correctness/noComponentHookFactories: it is called once for each page, when its module is loaded.
  return async function Page({ params, searchParams }: PageProps) {
    const { tenant: slug, environment: name, ...further } = await params;
    return renderOrKeepLast(async () => {
      const place = await dashboardCaller(slug, name);
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

/** Draws something that stays on the screen when drawing it anew fails. */
export async function renderOrKeepLast(render: () => Promise<ReactNode>, { isFrame = false } = {}) {
  try {
    return <LastGoodRender isFrame={isFrame}>{await render()}</LastGoodRender>;
  } catch (error) {
    // Redirects and not-found pages are thrown as well, and are Next's.
    unstable_rethrow(error);
    const requestId = currentRequestId();
    log.error({ err: error, requestId }, "a page could not be drawn");
    return <LastGoodRender isFrame={isFrame} failedRequest={requestId} />;
  }
}
