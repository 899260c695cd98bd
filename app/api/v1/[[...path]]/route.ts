import { dispatch } from "@/lib/api/dispatch";

// Under Next's own server, next.config.js leads every request below /v1 here, so that unknown paths and wrong methods are
// answered by the same pipeline as under server/web.ts.
export { dispatch as DELETE, dispatch as GET, dispatch as HEAD, dispatch as OPTIONS, dispatch as PATCH, dispatch as POST, dispatch as PUT };

export const dynamic = "force-dynamic";
