/**
 * Flows as JSON: {@link io.millrace.wire.json.FlowJsonEncoder}, one object a row and a line, under
 * the names of the table's columns.
 */
package io.millrace.wire.json;
