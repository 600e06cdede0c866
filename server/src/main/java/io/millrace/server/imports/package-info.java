/**
 * Imports of uploaded files: {@link io.millrace.server.imports.FileImports} keeps them until their
 * flows are stored, with a record in the table {@code imports}.
 */
package io.millrace.server.imports;
