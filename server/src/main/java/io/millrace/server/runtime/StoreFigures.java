package io.millrace.server.runtime;

import io.millrace.store.FlowTable;
import io.millrace.store.StoredRetention;

/**
 * Figures of the store. {@code newestMicros} is {@link Long#MIN_VALUE} until this process has
 * stored a row.
 */
record StoreFigures(long rows, StoredRetention retention, long diskBytes, long newestMicros) {
  static StoreFigures of(OpenStore store) {
    FlowTable flows = store.flows();
    return new StoreFigures(
        flows.rows(), flows.retention(), store.store().diskBytes(), flows.newestMicros());
  }
}
