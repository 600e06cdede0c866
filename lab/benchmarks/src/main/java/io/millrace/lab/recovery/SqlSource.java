package io.millrace.lab.recovery;

import java.io.IOException;
import java.util.List;

/** Answers SQL, from wherever the table is. */
@FunctionalInterface
interface SqlSource {
  /** All rows of the answer, each value as text. */
  List<List<String>> rows(String sql) throws IOException;
}
