import { operation } from "@/lib/api/operation";
import { erasure, erasureParams } from "@/lib/erasures/schema";
import { getErasure } from "@/lib/erasures/service";

export const GET = operation({
  operationId: "getErasure",
  summary: "Get an erasure and its receipt",
  scope: "read:customers",
  params: erasureParams,
  response: erasure,
  run: ({ caller, params }) => getErasure(caller, params.erasureId),
});
