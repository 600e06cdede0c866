/**
 * What flows are joined with: sets of records found by IP address, declared in configuration
 * ({@link io.millrace.datasets.DatasetConfig}), opened by {@link
 * io.millrace.datasets.catalog.Datasets}, asked through a {@link io.millrace.datasets.Lookup}, and
 * changed for a newer one without a pause by a {@link io.millrace.datasets.DatasetHandle}.
 *
 * <p>There are two kinds: {@code range}, in memory, for ranges of addresses (AS, country), and
 * {@code keyvalue}, on disk, for single addresses in any number (reverse DNS).
 */
package io.millrace.datasets;
