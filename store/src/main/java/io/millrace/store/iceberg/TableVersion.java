package io.millrace.store.iceberg;

/**
 * A snapshot of a table of flows.
 *
 * @param snapshot id in Iceberg's metadata
 * @param newestMicros arrival of its newest row; {@link Long#MIN_VALUE} if it has none
 */
public record TableVersion(long snapshot, long newestMicros) {}
