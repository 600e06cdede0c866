package io.millrace.store.duckdb.history;

/**
 * Column of a stored table.
 *
 * @param sqlType type in the database
 * @param isText whether values are ids in the table of names
 */
public record HistoryColumn(String name, String sqlType, boolean isText) {}
