#!/bin/sh
# Produces the events of `millrace generate ads DIRECTORY` to the topic, one a value.
# Usage: send.sh DIRECTORY [SERVERS]
set -eu
kcat -P -b "${2:-127.0.0.1:9092}" -t ad-events -l "$1/events.ndjson"
