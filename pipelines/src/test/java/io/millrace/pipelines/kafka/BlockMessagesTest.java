package io.millrace.pipelines.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.pipelines.datasets.DatasetDeclaration;
import io.millrace.pipelines.datasets.SharedDatasets;
import io.millrace.pipelines.flows.FlowJoiner;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.message.FlowEncoder;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockMessagesTest {
  private static final KafkaOutConfig NAMES =
      KafkaOutConfig.NONE
          .withTopic("t")
          .withColumns(List.of("src_as_name"))
          .withFormat(OutFormat.JSON, 100);

  @TempDir Path dir;
  private final Map<String, DatasetDeclaration> sets = new LinkedHashMap<>();
  private Path file;

  @BeforeEach
  void networks() throws Exception {
    file = dir.resolve("as.csv");
    Files.writeString(file, "10.0.0.0,10.0.0.9,1,one\n10.0.0.10,10.0.0.19,2,two\n");
    sets.put("asn", DatasetDeclaration.of(file.toString()));
  }

  private static FlowBlock block(int... lastOctets) {
    FlowBlock block = new FlowBlock(lastOctets.length);
    for (int row = 0; row < lastOctets.length; row++) {
      block.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(0x0A00_0000 + lastOctets[row]);
      block.addressHigh(FlowColumn.DST_ADDR)[row] = Addresses.NULL;
      block.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.NULL;
    }
    block.rows(lastOctets.length);
    return block;
  }

  private static String encode(FlowJoiner joiner, BlockMessages messages, FlowBlock block) {
    StringBuilder all = new StringBuilder();
    joiner.process(
        block,
        joined ->
            messages.encode(
                joined, message -> all.append(new String(message, StandardCharsets.UTF_8))));
    return all.toString();
  }

  private FlowJoiner joiner() throws Exception {
    FlowJoiner joiner = new FlowJoiner(DatasetDeclaration.toConfigs(sets));
    joiner.open(AnalyzerContext.alone());
    return joiner;
  }

  @Test
  void everyBlockHasItsTextsThoughTheJoinerSendsThemOnce() throws Exception {
    FlowJoiner joiner = joiner();
    try (BlockMessages messages = new BlockMessages(NAMES, sets)) {
      String first = encode(joiner, messages, block(1, 11, 50, 2));
      assertThat(first)
          .isEqualTo(
              "{\"src_as_name\":\"one\"}\n{\"src_as_name\":\"two\"}\n{}\n{\"src_as_name\":\"one\"}\n");
      assertThat(encode(joiner, messages, block(1, 11, 50, 2))).isEqualTo(first);
      assertThat(encode(joiner, messages, block())).isEmpty();
    }
    joiner.close();
  }

  @Test
  void aNewerDataSetGivesItsOwnTexts() throws Exception {
    List<DatasetConfig> configs = DatasetDeclaration.toConfigs(sets);
    FlowJoiner joiner = joiner();
    List<DatasetHandle> handles = SharedDatasets.acquire(configs);
    try (BlockMessages messages = new BlockMessages(NAMES, sets)) {
      assertThat(encode(joiner, messages, block(1))).isEqualTo("{\"src_as_name\":\"one\"}\n");
      Files.writeString(file, "10.0.0.0,10.0.0.9,1,other\n");
      handles.get(0).swap(Datasets.open(configs.get(0)));
      assertThat(encode(joiner, messages, block(1))).isEqualTo("{\"src_as_name\":\"other\"}\n");
    } finally {
      SharedDatasets.release(configs, handles);
      joiner.close();
    }
  }

  @Test
  void manyDifferentTextsInABlockAreEachTheRowsOwn() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 200; i++) {
      lines.append("10.0.0.%d,10.0.0.%d,%d,name-%d%n".formatted(i, i, i + 1, i));
    }
    Files.writeString(file, lines);
    int[] octets = new int[1_000];
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < octets.length; i++) {
      octets[i] = i * 7 % 200;
      expected.append("{\"src_as_name\":\"name-").append(octets[i]).append("\"}\n");
    }
    FlowJoiner joiner = joiner();
    try (BlockMessages messages = new BlockMessages(NAMES, sets)) {
      assertThat(encode(joiner, messages, block(octets))).isEqualTo(expected.toString());
    }
    joiner.close();
  }

  @Test
  void aMessageThatIsTooLongForKafkaIsCutIntoHalves() {
    FlowEncoder wide =
        new FlowEncoder() {
          @Override
          public void begin(FlowBlock block, JoinedTexts texts) {}

          @Override
          public void encode(int from, int to, MessageBuffer out) {
            int bytes = (to - from) * (BlockMessages.MAX_MESSAGE_BYTES / 3);
            out.reserve(bytes);
            out.length(out.length() + bytes);
          }
        };
    List<Integer> lengths = new ArrayList<>();
    BlockMessages.encode(wide, new MessageBuffer(), 0, 7, m -> lengths.add(m.length));
    int row = BlockMessages.MAX_MESSAGE_BYTES / 3;
    assertThat(lengths).containsExactly(3 * row, 2 * row, 2 * row);
  }

  @Test
  void aMissingColumnIsNamedWithTheExistingOnes() {
    assertThatThrownBy(() -> KafkaOut.columns(NAMES.withColumns(List.of("src_as_nam")), sets))
        .hasMessageContaining("unknown column \"src_as_nam\", expected one of time, exporter")
        .hasMessageContaining("src_as_name");
  }
}
