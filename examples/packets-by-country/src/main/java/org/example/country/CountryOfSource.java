package org.example.country;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.FlowBlock;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The key of a flow: all flows of a country are counted by the same subtask. */
final class CountryOfSource implements RowKeys<FlowBlock> {
  private static final long serialVersionUID = 1L;

  private final String table;
  private transient Countries countries; // opened where the job runs

  CountryOfSource(String table) {
    this.table = table;
  }

  @Override
  public void hashes(FlowBlock flows, int[] hashes) {
    try {
      countries = countries == null ? new Countries(table) : countries;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long[] codes = countries.ofSources(flows);
    for (int row = 0; row < flows.rows(); row++) {
      hashes[row] = Hash.of(codes[row]);
    }
  }
}
