/**
 * Tables of flows as Apache Iceberg tables: rows that a checkpoint covers are Parquet files that
 * any engine reads; later rows are in memory until their checkpoint.
 */
package io.millrace.store.iceberg;
