# The image of the server. Build it with: docker build -t parley .
#
# BUILD_IMAGE needs Node.js 22 or newer with npm, RUNTIME_IMAGE Node.js 22 or newer; nothing is compiled for a version of
# it. Name them with a digest for a build that never changes.
ARG BUILD_IMAGE=docker.io/library/node:24-bookworm
ARG RUNTIME_IMAGE=docker.io/library/node:24-bookworm-slim

# 1. What the server needs to run, and the packages of all model providers. Nothing but packages of package-lock.json is
# downloaded, and no script of theirs runs. A registry of your own: docker build --secret id=npmrc,src=$HOME/.npmrc .
FROM ${BUILD_IMAGE} AS deps
WORKDIR /opt/parley
COPY package.json package-lock.json .npmrc ./
COPY scripts/image-packages.mjs scripts/
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    node scripts/image-packages.mjs \
 && npm ci --omit=dev --ignore-scripts \
 && npm sbom --package-lock-only --omit=dev --sbom-format cyclonedx > sbom.cdx.json \
 && rm -rf node_modules/better-sqlite3 node_modules/parley-sqlite/deps node_modules/parley-sqlite/src

# 2. The compiled server and its console. No script of a package runs.
FROM ${BUILD_IMAGE} AS build
WORKDIR /opt/parley
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/package-lock.json console/.npmrc console/
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts && npm ci --ignore-scripts --prefix console
COPY nest-cli.json tsconfig.json tsconfig.build.json tsconfig.client.json ormconfig.ts ./
COPY scripts scripts
COPY src src
COPY console console
RUN npm run build

# 3. The image: compiled server, packages, bill of materials, and the scripts that administer it.
FROM ${RUNTIME_IMAGE} AS runtime
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="One agent, every protocol, one durable run: a server for AI agents" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# HOST: a container is reached from outside, so the server does not start until AUTH says who may call it.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8090 DATA_DIR=/data
WORKDIR /opt/parley
COPY --from=deps /opt/parley/node_modules node_modules
COPY --from=deps /opt/parley/sbom.cdx.json sbom.cdx.json
COPY --from=build /opt/parley/dist dist
COPY --from=build /opt/parley/scripts scripts
COPY package.json LICENSE ./
RUN mkdir -p /data && chown 10001:10001 /data
# All else may be read-only: docker run --read-only --tmpfs /tmp
VOLUME ["/data"]
USER 10001:10001
EXPOSE 8090
# The server handles signals itself, as the first process of the container too.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
# More room for young objects: an eighth less processor time when many streams are fast (docs/performance.md).
CMD ["node", "--max-semi-space-size=64", "scripts/start.mjs"]
