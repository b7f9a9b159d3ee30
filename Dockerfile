# docker build -t countersign .          docker run --rm -v "$PWD:/work" countersign gateway
# For another machine: --build-arg PLATFORM=linux/arm64, where the builder can run it.
ARG NODE=22
ARG PLATFORM=linux/amd64
FROM --platform=$PLATFORM node:${NODE}-slim AS build
WORKDIR /source
COPY . .
# The build is made here: what the folder had of one is not copied.
RUN npm ci --no-audit --no-fund && npm run --silent build && npm pack --ignore-scripts --pack-destination /

FROM --platform=$PLATFORM node:${NODE}-slim
COPY --from=build /countersign-*.tgz /tmp/
RUN npm install --global --no-audit --no-fund /tmp/countersign-*.tgz && npm cache clean --force
# Reports go to the working folder, and nothing of a run needs more rights than its owner has.
USER node
WORKDIR /work
ENTRYPOINT ["countersign"]
CMD ["--help"]
