# syntax=docker/dockerfile:1

# One image for every process; see “Containers” in docs/guides/self-hosting.mdx.

FROM node:20.20-bookworm-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
COPY sdk/package.json sdk/
RUN npm ci --include=dev --loglevel=error
COPY . .
RUN node server/prepare.mjs build && node server/image-tree.mjs /image

FROM debian:bookworm-slim
# tini ends orphaned processes and passes signals on. libstdc++ is what Node needs.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini libstdc++6 \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir /data && chown 1000:1000 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /image /app
WORKDIR /app
ENV NODE_ENV=production \
  DATA_DIR=/data \
  HOST=0.0.0.0 \
  PORT=3000 \
  METRICS_HOST=0.0.0.0 \
  METRICS_PORT=9464
# A number, so that Kubernetes can tell that it is not root. It can write to /data only.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "server/container.mjs", "health"]
ENTRYPOINT ["tini", "--", "node", "server/container.mjs"]
CMD ["web"]
