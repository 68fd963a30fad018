#!/bin/sh
# Prints the file of settings and keys for compose.yaml, with new keys:
#   sh deploy/compose/keys.sh > compose.env
# Keep the file secret, and keep a copy with the backups: attachments and encrypted content need its keys.
set -eu
umask 077
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

cat <<SETTINGS
# Address at which clients reach the load balancer, and where it listens.
PUBLIC_BASE_URL=http://localhost:8090
PARLEY_PORT=127.0.0.1:8090

# The model server; without one the offline demo model answers.
#LLM_BASE_URL=
#LLM_API_KEY=
#LLM_MODEL=

# Keys.
POSTGRES_PASSWORD=$(secret)
VALKEY_PASSWORD=$(secret)
S3_ACCESS_KEY_ID=parley
S3_SECRET_ACCESS_KEY=$(secret)
GRAFANA_PASSWORD=$(secret)
ACCESS_TICKET_KEYS=k1:$(secret)
ATTACHMENT_SIGNING_KEYS=k1:$(secret)
AUDIT_KEYS=k1:$(secret)
RESPONSES_SEALING_KEYS=k1:$(secret)
SETTINGS
