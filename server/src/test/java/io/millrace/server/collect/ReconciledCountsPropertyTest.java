package io.millrace.server.collect;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.server.collect.JobCounts.Count;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Channel;
import io.millrace.wire.block.ExportProtocol;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Collector and job have counted the same datagrams, and choose individual exporters independently.
 */
class ReconciledCountsPropertyTest {
  @Property(tries = 300)
  void totalsHoldForAnyChoiceOfIndividualExporters(
      @ForAll Random random, @ForAll @IntRange(min = 0, max = 4) int folding) {
    Map<ExporterKey, Long> collector = new LinkedHashMap<>();
    Map<ExporterKey, Long> job = new HashMap<>();
    boolean hasOthers = folding > 0;
    long all = 0;
    for (int sender = 0; sender < 4; sender++) {
      for (int part = 0; part < 5; part++) {
        long datagrams = 1L + random.nextInt(100);
        all += datagrams;
        ExporterKey key = key(sender, part);
        collector.merge(
            fold(key, random.nextInt(5) < folding, hasOthers, random), datagrams, Long::sum);
        job.merge(fold(key, random.nextInt(5) < 2, true, random), datagrams, Long::sum);
      }
    }
    if (hasOthers) {
      collector.merge(ExporterKey.OTHERS, 0L, Long::sum);
    }
    List<ExporterStats> collected = new ArrayList<>();
    collector.forEach((key, logged) -> collected.add(stats(key, logged)));
    Map<ExporterKey, Count> counted = new HashMap<>();
    job.forEach((key, stored) -> counted.put(key, new Count(stored, 0, 3 * stored, Map.of())));
    Map<ExporterKey, Count> reconciled = ReconciledCounts.of(collected, counted);
    collector.forEach(
        (key, logged) ->
            assertThat(reconciled.getOrDefault(key, Count.ZERO).datagrams())
                .as(key.toString())
                .isEqualTo(logged));
    assertThat(reconciled.values().stream().mapToLong(Count::datagrams).sum()).isEqualTo(all);
    if (hasOthers) {
      assertThat(reconciled.values().stream().mapToLong(Count::rows).sum()).isEqualTo(3 * all);
    }
  }

  private static ExporterKey fold(ExporterKey key, boolean folds, boolean may, Random random) {
    if (!folds || !may) {
      return key;
    }
    return random.nextInt(4) == 0 ? ExporterKey.OTHERS : key.others();
  }

  private static ExporterKey key(int sender, int part) {
    long low = Addresses.v4Low(0x0A000000 + sender);
    return new ExporterKey(0, low, 0, low, Channel.of(ExportProtocol.SFLOW, 0, part));
  }

  private static ExporterStats stats(ExporterKey key, long logged) {
    return new ExporterStats(
        key,
        logged,
        0,
        0,
        0,
        0,
        0,
        logged,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        logged,
        1,
        2,
        0,
        0,
        ExporterStats.Gaps.NONE);
  }
}
