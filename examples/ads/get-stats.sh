#!/bin/sh
# Prints views and update delay (ms from the window's start) of all windows, as the benchmark's
# get-stats does. Usage: get-stats.sh [PORT]
set -eu
redis="redis-cli -p ${1:-6379}"
for campaign in $($redis SMEMBERS campaigns); do
  list=$($redis HGET "$campaign" windows)
  [ -n "$list" ] || continue
  for start in $($redis LRANGE "$list" 0 -1); do
    window=$($redis HGET "$campaign" "$start")
    echo "$($redis HGET "$window" seen_count) $(($($redis HGET "$window" time_updated) - start))"
  done
done
