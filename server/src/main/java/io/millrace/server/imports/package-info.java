/**
 * Imports of uploaded files. {@link io.millrace.server.imports.FileImports} keeps the files until
 * their flows are stored, and records each import in the table {@code imports}.
 */
package io.millrace.server.imports;
