# research-mcp with the OpenTelemetry exporter, for traces (OTEL_EXPORTER_OTLP_ENDPOINT).
#
#   docker compose build research-mcp
#   docker build -f deploy/otel.Dockerfile -t research-mcp:otel .
ARG PLAIN=research-mcp:local
ARG BASE=python:3.11-slim-trixie

FROM ${PLAIN} AS plain

FROM ${BASE} AS build
COPY --from=plain /opt/venv /opt/venv
COPY requirements-otel.lock ./
RUN pip --python /opt/venv/bin/python install --no-compile --no-cache-dir --only-binary :all: --require-hashes -r requirements-otel.lock \
 && /opt/venv/bin/python -c "import opentelemetry.exporter.otlp.proto.http"

FROM ${PLAIN}
COPY --from=build /opt/venv /opt/venv
