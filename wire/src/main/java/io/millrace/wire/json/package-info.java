/**
 * Flows as JSON: {@link io.millrace.wire.json.FlowJsonEncoder}, one object per row and line, with
 * the names of the table's columns.
 */
package io.millrace.wire.json;
