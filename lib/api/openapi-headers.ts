import type { Header } from "@/lib/platform/openapi";

export const rateLimitHeaders: Record<string, Header> = {
  "RateLimit-Policy": {
    description:
      "The limits: `q` requests in any `w` seconds. `default` is the limit of the API key, `tenant` the limit of all keys of the environment together. A key whose limit an operator raised above the plan's has only `default`.",
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
      "What is left of each limit: `r` requests now, and more in `t` seconds. With `r=0`, the next request is allowed in `t` seconds.",
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
      "When more requests are allowed, in Unix seconds: the same moment as `t` of that policy, rounded up.",
    required: true,
    schema: { type: "integer", format: "int64", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    example: 1_769_851_842,
  },
};

/** Of the responses of deprecated operations. */
export const deprecationHeaders: Record<string, Header> = {
  Deprecation: {
    description: "Since when the operation is deprecated: `@` and Unix seconds (RFC 9745).",
    required: true,
    schema: { type: "string", pattern: "^@[0-9]+$", maxLength: 20 },
    example: "@1798761600",
  },
  Sunset: {
    description: "When the operation may stop working, as an HTTP date (RFC 8594).",
    required: true,
    schema: { type: "string", pattern: "^[\\x20-\\x7e]+$", maxLength: 40 },
    example: "Sat, 01 Jan 2028 00:00:00 GMT",
  },
};

export const operationHeaders = {
  "X-Request-Id": {
    description: "The id of this request, for finding it in logs.",
    required: true,
    schema: { type: "string", pattern: "^req_[0-9A-HJKMNP-TV-Z]{26}$", maxLength: 30 },
    example: "req_01KA5V0V7W3Y5Z8J4QX2N6M9TC",
  },
  "Idempotent-Replayed": {
    description:
      "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    required: false,
    schema: { type: "string", enum: ["true"] },
    example: "true",
  },
  ETag: {
    description:
      "The version of the resource, for `If-None-Match` and `If-Match`. Weak if the response is compressed.",
    required: true,
    schema: { type: "string", pattern: '^(W/)?"[\\w-]{27}"$', maxLength: 31 },
    example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
  },
  "Retry-After": {
    description: "Whole seconds to wait before the next attempt.",
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
