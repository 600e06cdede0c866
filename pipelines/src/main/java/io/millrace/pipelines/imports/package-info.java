/**
 * Import of files into a table of flows: {@link io.millrace.pipelines.imports.FlowFiles} recognises
 * a file, {@link io.millrace.pipelines.imports.FlowFile} reads its flows, and {@link
 * io.millrace.pipelines.imports.FlowImport} joins and stores them.
 */
package io.millrace.pipelines.imports;
