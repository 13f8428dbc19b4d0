# One image, two commands: the gateway (default) and the worker.
# The build output does not depend on the processor, so it is built natively.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json prisma.config.ts ./
COPY prisma prisma
RUN npm ci
COPY . .
# Removes Prisma's command line, too, which is an optional dependency of its client.
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts && npm run trim

FROM node:24-bookworm-slim
# By default malloc has an arena per core and a growing threshold, and so keeps memory that large responses have freed. Without
# a limit, V8 lets a heap grow to four times its live data.
ENV NODE_ENV=production HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_OPTIONS="--max-old-space-size=1024"
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/package.json package.json
COPY --from=build /app/prisma prisma
# Terms, privacy and data licence, served as pages. Mount your own folder here.
COPY --from=build /app/legal legal
USER node
EXPOSE 3000
CMD ["node", "dist/apps/gateway/src/main.js"]
