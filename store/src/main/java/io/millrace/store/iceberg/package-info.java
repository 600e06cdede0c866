/**
 * Tables of flows as Apache Iceberg tables. Rows that a checkpoint covers are in Parquet files,
 * which any engine can read; later rows are buffered in memory or in files that no snapshot
 * contains yet.
 */
package io.millrace.store.iceberg;
