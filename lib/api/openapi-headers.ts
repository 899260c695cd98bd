import type { Header } from "@/lib/platform/openapi";

export const rateLimitHeaders: Record<string, Header> = {
  "RateLimit-Policy": {
    description:
      "The limits: `q` requests in any `w` seconds. `default` is the API key's, `tenant` that of all keys of the environment together; a key whose limit an operator raised above the plan's has the first alone.",
    required: true,
    schema: {
      type: "string",
      pattern: '^"default";q=[0-9]+;w=[0-9]+(, "tenant";q=[0-9]+;w=[0-9]+)?$',
      maxLength: 100,
    },
    example: '"default";q=60;w=60, "tenant";q=600;w=60',
  },
  RateLimit: {
    description:
      "What is left of each: `r` requests, and more are free in `t` seconds. With `r=0`, that is when the next request passes.",
    required: true,
    schema: {
      type: "string",
      pattern: '^"default";r=[0-9]+;t=[0-9]+(, "tenant";r=[0-9]+;t=[0-9]+)?$',
      maxLength: 100,
    },
    example: '"default";r=59;t=42, "tenant";r=540;t=12',
  },
  "X-RateLimit-Limit": {
    description: "`q` of the policy with the fewest requests left.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1, maximum: 2_147_483_647 },
    example: 60,
  },
  "X-RateLimit-Remaining": {
    description: "`r` of that policy.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 2_147_483_647 },
    example: 59,
  },
  "X-RateLimit-Reset": {
    description:
      "When more requests are free, in unix seconds: the same moment as `t` of that policy, rounded up.",
    required: true,
    schema: { type: "integer", format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    example: 1_769_851_842,
  },
};

export const operationHeaders = {
  "X-Request-Id": {
    description: "The id of this request, to find it again in logs.",
    required: true,
    schema: { type: "string", pattern: "^req_[0-9A-HJKMNP-TV-Z]{26}$", maxLength: 30 },
    example: "req_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  },
  "Idempotent-Replayed": {
    description:
      "`true` where this is the stored answer of an earlier request with the same `Idempotency-Key`.",
    required: false,
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  ETag: {
    description:
      "The version of the resource, for `If-None-Match`. Weak where the response is compressed.",
    required: true,
    schema: { type: "string", pattern: '^(W/)?"[\\w-]{27}"$', maxLength: 31 },
    example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
  },
  "Retry-After": {
    description: "Whole seconds to wait.",
    required: true,
    schema: { type: "integer", format: "int32", minimum: 1, maximum: 2_147_483_647 },
    example: 42,
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { type: "string", enum: ["Bearer"] },
    example: "Bearer",
  },
} satisfies Record<string, Header>;
