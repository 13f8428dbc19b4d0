# One image, two commands: the gateway (default) and the worker.
# What it makes has no program of one kind of processor: it is made on that of the machine.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json prisma.config.ts ./
COPY prisma prisma
RUN npm ci
COPY . .
# Prisma's command line is an optional companion of its client.
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts && npm run trim

FROM node:24-bookworm-slim
# With an arena per core and a threshold that grows, malloc keeps the buffers of hostile answers after they are gone; without
# a bound V8 lets a heap grow to four times what is alive in it.
ENV NODE_ENV=production HOST=0.0.0.0 \
    MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 \
    NODE_OPTIONS="--max-old-space-size=1024"
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/package.json package.json
COPY --from=build /app/prisma prisma
# Terms, privacy and data licence, served as pages: mount a folder of your own here.
COPY --from=build /app/legal legal
USER node
EXPOSE 3000
CMD ["node", "dist/apps/gateway/src/main.js"]
