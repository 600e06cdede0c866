/**
 * Data sets that flows are joined with: records found by IP address, declared in the configuration
 * ({@link io.millrace.datasets.DatasetConfig}), opened by {@link
 * io.millrace.datasets.catalog.Datasets}, queried through a {@link io.millrace.datasets.Lookup},
 * and replaced at runtime by a {@link io.millrace.datasets.DatasetHandle}.
 *
 * <p>The main kinds are {@code range}, in memory, for address ranges (AS, country), and {@code
 * keyvalue}, on disk, for single addresses in any number (reverse DNS).
 */
package io.millrace.datasets;
