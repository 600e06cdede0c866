package io.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.hitters.ColumnTexts;
import io.millrace.analytics.hitters.HitterCounts;
import io.millrace.analytics.hitters.HitterJudge;
import io.millrace.analytics.hitters.HitterKeys;
import io.millrace.analytics.hitters.HitterKind;
import io.millrace.analytics.hitters.HitterSettings;
import io.millrace.analytics.hitters.Threshold;
import io.millrace.analytics.sketch.Algorithm;
import io.millrace.analytics.trend.FlowKeywords;
import io.millrace.analytics.trend.FlowTrendRows;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.pipelines.flowtrends.FlowTrendsConfig;
import io.millrace.pipelines.hitters.HittersConfig;
import io.millrace.traffic.DemoData;
import io.millrace.traffic.model.Packet;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.traffic.model.TrafficModel;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.TableBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The demo's pipelines detect the flood in the first minute of its traffic. */
class DemoAttacksTest {
  private static final long SECOND = 1_000_000;
  private static final long START = 1_700_000_000 * SECOND;
  private static final int SAMPLES_A_SECOND = 5_000;

  /** First complete epoch of the flood, which begins at second 20. */
  private static final long FLOODED = START + 20 * SECOND;

  private static final int SECONDS = 35;

  private static final List<FlowBlock> flows = new ArrayList<>();
  private static String victim;

  @BeforeAll
  static void makeTraffic() throws Exception {
    TrafficModel model =
        new TrafficModel(
            TrafficConfig.defaults(1, START).withSamplesPerSecond(SAMPLES_A_SECOND).withoutRhythm(),
            DemoData.pool());
    Map<String, Integer> packets = new HashMap<>();
    Packet packet = new Packet();
    for (int second = 0; second < SECONDS; second++) {
      FlowBlock block = new FlowBlock(SAMPLES_A_SECOND);
      for (int row = 0; row < SAMPLES_A_SECOND; row++) {
        model.next(packet);
        block.longs(FlowColumn.TIME)[row] = model.timeMicros();
        block.addressHigh(FlowColumn.SRC_ADDR)[row] = packet.srcHigh;
        block.addressLow(FlowColumn.SRC_ADDR)[row] = packet.srcLow;
        block.addressHigh(FlowColumn.DST_ADDR)[row] = packet.dstHigh;
        block.addressLow(FlowColumn.DST_ADDR)[row] = packet.dstLow;
        block.ints(FlowColumn.PROTO)[row] = packet.protocol;
        block.ints(FlowColumn.DST_PORT)[row] = packet.dstPort;
        block.longs(FlowColumn.BYTES)[row] = packet.ipLength;
        block.longs(FlowColumn.PACKETS)[row] = 1;
        block.ints(FlowColumn.SAMPLING_RATE)[row] = 1_000;
        if (model.timeMicros() > FLOODED && packet.protocol == 17) {
          packets.merge(Addresses.toText(packet.dstHigh, packet.dstLow), 1, Integer::sum);
        }
      }
      block.rows(SAMPLES_A_SECOND);
      flows.add(block);
    }
    victim =
        packets.entrySet().stream()
            .max(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .orElseThrow();
  }

  @Test
  void theHeavyLineNamesTheVictimOfTheFlood() throws Exception {
    HittersConfig config = RuntimeOptions.heavy().config();
    HitterSettings settings =
        new HitterSettings(
            config.keys().stream().map(HitterKind::parse).toList(),
            config.measure(),
            config.epoch().toNanos() / 1_000,
            Threshold.parse(config.threshold()),
            config.memoryBytes(),
            Algorithm.MV,
            1);
    HitterKeys keys = new HitterKeys(settings);
    HitterCounts counts = new HitterCounts(settings);
    HitterJudge judge = new HitterJudge(settings);
    keys.open(AnalyzerContext.alone());
    counts.open(AnalyzerContext.alone());
    judge.open(AnalyzerContext.alone());
    List<TableBlock> found = new ArrayList<>();
    Emitter<TableBlock> counted = block -> judge.process(block, found::add);
    Emitter<TableBlock> made =
        new Emitter<>() {
          @Override
          public void emit(TableBlock block) {
            counts.process(block, counted);
          }

          @Override
          public <B extends Block> void emit(Output<B> output, B block) {
            judge.process((TableBlock) block, found::add);
          }
        };
    for (FlowBlock block : flows) {
      keys.process(block, made);
    }
    keys.watermark(Long.MAX_VALUE, made);
    counts.watermark(Long.MAX_VALUE, counted);
    judge.watermark(Long.MAX_VALUE, found::add);
    assertThat(rows(found, "epoch", FLOODED + epoch(config.epoch()), "rank", "key"))
        .contains("1 " + victim);
    assertThat(rows(found, "epoch", FLOODED - epoch(config.epoch()), "rank", "key"))
        .doesNotContain("1 " + victim);
  }

  @Test
  void theRisingLineNamesTheVictimOfTheFlood() throws Exception {
    FlowTrendsConfig config = RuntimeOptions.rising().config();
    TrendSettings settings = config.model().settings(1);
    FlowKeywords keywords =
        new FlowKeywords(config.keys().stream().map(HitterKind::parse).toList(), settings);
    TrendAnalyzer analyzer = new TrendAnalyzer(settings);
    analyzer.open(AnalyzerContext.alone());
    analyzer.watermark(START - 1, block -> {});
    FlowTrendRows texts = new FlowTrendRows(ColumnTexts.NONE);
    List<TableBlock> found = new ArrayList<>();
    for (FlowBlock block : flows) {
      keywords.process(block, each -> analyzer.process(each, none -> {}));
    }
    analyzer.watermark(START + SECONDS * SECOND, each -> texts.process(each, found::add));
    assertThat(
            rows(found, "bucket", FLOODED, "score", "key").stream()
                .max(Comparator.comparingDouble(row -> Double.parseDouble(row.split(" ", -1)[0])))
                .orElseThrow())
        .endsWith(" " + victim);
  }

  private static long epoch(Duration length) {
    return length.toNanos() / 1_000;
  }

  private static List<String> rows(
      List<TableBlock> blocks, String time, long at, String first, String second) {
    List<String> rows = new ArrayList<>();
    for (TableBlock block : blocks) {
      for (int row = 0; row < block.rows(); row++) {
        if (block.longs(block.schema().indexOf(time))[row] == at) {
          rows.add(
              block.text(row, block.schema().indexOf(first))
                  + " "
                  + block.text(row, block.schema().indexOf(second)));
        }
      }
    }
    return rows;
  }
}
