package io.millrace.server.runtime;

import io.millrace.store.FlowTable;
import io.millrace.store.StoredRetention;

/**
 * What status and metrics say of the store.
 *
 * @param rows in the table of flows
 * @param retention what was removed of it
 * @param diskBytes of the store
 * @param newestMicros time of the newest row that this process has stored; {@link Long#MIN_VALUE}
 *     before the first
 */
record StoreFigures(long rows, StoredRetention retention, long diskBytes, long newestMicros) {
  static StoreFigures of(OpenStore store) {
    FlowTable flows = store.flows();
    return new StoreFigures(
        flows.rows(), flows.retention(), store.store().diskBytes(), flows.newestMicros());
  }
}
