package io.millrace.datasets;

import io.millrace.wire.block.FlowColumn;

/**
 * A column that a data set adds to flows.
 *
 * @param on flow column to look up
 * @param field index in {@link Dataset#fields()}
 * @param columnName name in SQL: the join's prefix and the field's name
 * @param isText whether the values are texts
 */
public record JoinedField(FlowColumn on, int field, String columnName, boolean isText) {}
