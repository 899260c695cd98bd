import { searchEntries } from "@/app/docs/content/search-entries";
import { buildIndex } from "@/components/docs/search-index";

/** The index of the documentation's search. It is the same for every installation. */
export const GET = () => Response.json(buildIndex(searchEntries()));

/** Written once, by the build. */
export const dynamic = "force-static";
