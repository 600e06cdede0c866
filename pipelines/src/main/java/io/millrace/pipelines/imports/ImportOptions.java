package io.millrace.pipelines.imports;

import java.time.Instant;
import java.util.Optional;

/**
 * Options of an import.
 *
 * @param mapping name of an included mapping, or the YAML of another one; empty for none
 * @param time of all rows, for files without times
 */
public record ImportOptions(Optional<String> mapping, Optional<Instant> time) {
  /** No options. */
  public static final ImportOptions NONE = new ImportOptions(Optional.empty(), Optional.empty());
}
