/**
 * Files of the past that clients upload: {@link io.millrace.server.imports.FileImports} keeps them
 * until their flows are stored, and notes each in the table {@code imports}.
 */
package io.millrace.server.imports;
