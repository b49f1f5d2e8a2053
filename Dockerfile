# The image of research-mcp: one Python process, no compiler, no shell tools needed, no root.
#
#   docker build -t research-mcp .
#   docker run --rm -p 127.0.0.1:8000:8000 research-mcp
#
# BASE may be pinned to a digest (CI does): --build-arg BASE=python:3.11-slim-trixie@sha256:...
ARG BASE=python:3.11-slim-trixie

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_NO_CACHE_DIR=1
WORKDIR /build

# The environment has no pip of its own: nothing can be installed into the finished image.
COPY requirements.lock requirements-build.lock ./
RUN python -m venv --without-pip /opt/venv \
 && pip --python /opt/venv/bin/python install --no-compile --only-binary :all: --require-hashes -r requirements.lock \
 && pip install --only-binary :all: --require-hashes -r requirements-build.lock

COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /build/dist . \
 && pip --python /opt/venv/bin/python install --no-compile --no-deps --no-index /build/dist/*.whl \
 && /opt/venv/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/venv/lib \
 && /opt/venv/bin/python -c "import trafilatura, resiliparse, lxml_html_clean, pypdf, mcp" \
 && /opt/venv/bin/research-mcp --version


FROM ${BASE}
LABEL org.opencontainers.image.title="research-mcp" \
      org.opencontainers.image.description="Every search engine and page reader behind one MCP endpoint" \
      org.opencontainers.image.licenses="MIT"

RUN test -s /etc/ssl/certs/ca-certificates.crt \
 && python -m pip uninstall --yes --quiet --root-user-action ignore setuptools wheel pip \
 && groupadd --gid 10001 research \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /app --shell /usr/sbin/nologin research \
 && install -d -o 10001 -g 10001 /app /app/data

COPY --from=build /opt/venv /opt/venv

# Logs and counters go to /app/data, temporary files to /tmp; the rest may be read-only.
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    MCP_HOST=0.0.0.0 \
    MCP_PORT=8000
WORKDIR /app
USER 10001:10001
VOLUME /app/data
EXPOSE 8000
STOPSIGNAL SIGTERM

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-I", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('MCP_PORT', '8000')), timeout=4); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]

ENTRYPOINT ["research-mcp"]
CMD ["serve"]
