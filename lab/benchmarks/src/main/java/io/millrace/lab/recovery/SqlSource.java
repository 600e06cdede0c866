package io.millrace.lab.recovery;

import java.io.IOException;
import java.util.List;

/** A table that can be queried by SQL. */
@FunctionalInterface
interface SqlSource {
  /** Returns all rows of the result, each value as text. */
  List<List<String>> rows(String sql) throws IOException;
}
