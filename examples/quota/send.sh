#!/bin/sh
# Sends the files of `millrace generate quota DIRECTORY`, minute by minute, alternating both streams.
# Usage: send.sh DIRECTORY [URL]
set -eu
url=${2:-http://127.0.0.1:8088}
for usage in "$1"/usage-*.ndjson; do
  minute=${usage##*/usage-}
  for kind in usage streaming; do
    curl -fsS "$url/ingest/$kind" -o /dev/null \
      -H 'Content-Type: application/x-ndjson' --data-binary "@$1/$kind-$minute"
  done
done
