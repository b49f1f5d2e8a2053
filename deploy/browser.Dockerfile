# research-mcp with a Chromium of its own, for pages that need JavaScript: about 600 MB more.
#
#   docker compose build research-mcp
#   docker build -f deploy/browser.Dockerfile -t research-mcp:browser .
ARG PLAIN=research-mcp:local
ARG BASE=python:3.11-slim-trixie

FROM ${PLAIN} AS plain

FROM ${BASE} AS build
COPY --from=plain /opt/venv /opt/venv
COPY requirements-browser.lock ./
RUN pip --python /opt/venv/bin/python install --no-compile --no-cache-dir --only-binary :all: --require-hashes -r requirements-browser.lock \
 && /opt/venv/bin/python -c "import playwright.async_api"

FROM ${PLAIN}
USER 0:0
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium-headless-shell \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/venv /opt/venv
USER 10001:10001

# The container is the wall around the browser: without user namespaces it has no sandbox of its own.
ENV BROWSER_PATH=chromium-headless-shell \
    BROWSER_SANDBOX=false
