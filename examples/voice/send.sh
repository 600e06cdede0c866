#!/bin/sh
# Sends the files of `millrace generate voice DIRECTORY`, minute by minute, alternating both streams.
# Usage: send.sh DIRECTORY [URL]
set -eu
url=${2:-http://127.0.0.1:8088}
for messages in "$1"/voice_messages-*.ndjson; do
  minute=${messages##*/voice_messages-}
  for kind in voice_messages voice_channels; do
    curl -fsS "$url/ingest/$kind" -o /dev/null \
      -H 'Content-Type: application/x-ndjson' --data-binary "@$1/$kind-$minute"
  done
done
