package io.millrace.store.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.store.FlowTable;
import io.millrace.store.FlowWriter;
import io.millrace.store.duckdb.rollup.RollupModel;
import io.millrace.store.duckdb.rollup.RollupModel.Row;
import io.millrace.store.rollup.RollupConfig;
import io.millrace.wire.block.Frontier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares sums and samples made when rows are sealed with those made from the rows of the same
 * commit.
 */
class SealedSumsIT extends RollupStore {
  private static final RollupConfig CONFIG =
      RollupConfig.DEFAULT.withSets(Map.of("narrow", List.of("in_if", "proto")));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void equalThoseOfTheRows(long seed) {
    List<List<Row>> blocks = blocks(seed);
    store.close();
    open(CONFIG);
    writeAll(blocks);
    store.rollUp();
    List<String> sealed = everything();
    store.close();
    folder = directory.resolve("other");
    open(RollupConfig.NONE);
    writeAll(blocks);
    store.close();
    open(CONFIG);
    table();
    store.rollUp();
    assertThat(sealed).hasSizeGreaterThan(100).isEqualTo(everything());
  }

  /** Writes one commit, so that the sample of a minute is of the same rows. */
  private void writeAll(List<List<Row>> blocks) {
    FlowTable table = table();
    try (FlowWriter writer = table.writer()) {
      for (List<Row> block : blocks) {
        writer.append(RollupModel.block(block));
      }
      writer.flush();
    }
    table.committed(new Frontier(Map.of(0, (long) blocks.size())));
  }

  private List<String> everything() {
    List<String> all = new ArrayList<>();
    for (String set : List.of("src", "dst", "port", "interface", "narrow")) {
      for (String grain : List.of("minute", "five", "hour", "day")) {
        String view = "flows_" + grain + "_" + set;
        all.addAll(rows("SELECT '" + view + "', * FROM " + view + " ORDER BY ALL"));
      }
    }
    all.addAll(rows("SELECT * FROM flows_sampled ORDER BY ALL"));
    return all;
  }

  private List<List<Row>> blocks(long seed) {
    Random random = new Random(seed);
    List<List<Row>> blocks = new ArrayList<>();
    long length = seed % 2 == 0 ? 3 * DAY : 20 * MINUTE;
    boolean hasDurations = seed % 3 != 0;
    int count = 8;
    for (int block = 0; block < count; block++) {
      List<Row> rows = new ArrayList<>();
      boolean isOfRecords = hasDurations && block % 2 == 1;
      for (int i = 0; i < 1_500; i++) {
        long time = START + block * length / count + random.nextLong(length / count);
        boolean hasStart = isOfRecords && random.nextInt(8) > 0;
        long end = time - random.nextLong(3 * MINUTE) + (random.nextInt(20) == 0 ? MINUTE : 0);
        rows.add(
            new Row(
                0,
                block,
                time,
                random.nextInt(20) == 0 ? (int) RollupModel.NULL : random.nextInt(40),
                random.nextInt(9) == 0 ? (int) RollupModel.NULL : random.nextInt(5),
                1 + random.nextInt(4),
                random.nextInt(50) == 0 ? RollupModel.NULL : random.nextLong(100_000),
                random.nextInt(10) == 0 ? (int) RollupModel.NULL : 1 + random.nextInt(1_000),
                hasStart ? end - random.nextLong(20 * MINUTE) : RollupModel.NULL,
                isOfRecords && random.nextInt(8) > 0 ? end : RollupModel.NULL));
      }
      blocks.add(rows);
    }
    return blocks;
  }
}
