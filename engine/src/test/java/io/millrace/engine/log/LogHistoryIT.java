package io.millrace.engine.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.pulse.DirectoryTree;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that was changed while it was not running. */
class LogHistoryIT {
  private static final String TOPIC = "flows";
  private static final LogConfig CONFIG = LogConfig.defaults().withPartitions(1);

  @TempDir Path root;

  /** Identity of the topic at the end of a run of the log. */
  private record End(String id, Map<Integer, LogOffsets.Mark> marks) {}

  private interface Look {
    void at(LogOffsets offsets);
  }

  private End live(Path directory, int values, Look look) throws Exception {
    try (EmbeddedLog log = new EmbeddedLog(CONFIG, directory)) {
      log.start();
      var unused = new LogTopics(log, CONFIG).ensure(TOPIC);
      try (LogOffsets offsets = new LogOffsets(log.bootstrapServers(), TOPIC)) {
        look.at(offsets);
        try (LogWriter writer = new LogWriter(log.bootstrapServers(), TOPIC, CONFIG)) {
          for (int i = 0; i < values; i++) {
            assertThat(writer.offer(null, new byte[100], 1)).isTrue();
          }
        }
        return new End(offsets.topicId(), offsets.marks());
      }
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    DirectoryTree.delete(to);
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  @Test
  void anOlderLogIsRecognisedWhateverWasWrittenToItSince() throws Exception {
    Path directory = root.resolve("log");
    Path older = root.resolve("older");
    End first = live(directory, 10, offsets -> {});
    copy(directory, older);
    End second =
        live(
            directory,
            20,
            offsets ->
                assertThat(offsets.diverged(List.of(first.marks()))).isEqualTo(Frontier.EMPTY));
    assertThat(second.id()).isEqualTo(first.id());
    assertThat(second.marks().get(0).offset()).isEqualTo(30);
    var unchanged =
        live(
            directory,
            5,
            offsets ->
                assertThat(offsets.diverged(List.of(first.marks(), second.marks())))
                    .isEqualTo(Frontier.EMPTY));
    assertThat(unchanged.id()).isEqualTo(first.id());

    copy(older, directory);
    Frontier ten = new Frontier(Map.of(0, 10L));
    var overwritten =
        live(
            directory,
            70,
            offsets ->
                assertThat(offsets.diverged(List.of(first.marks(), second.marks())))
                    .isEqualTo(ten));
    assertThat(overwritten.id()).isEqualTo(first.id());
    var longer =
        live(
            directory,
            1,
            offsets ->
                assertThat(offsets.diverged(List.of(first.marks(), second.marks())))
                    .isEqualTo(ten));
    assertThat(longer.marks().get(0).offset()).isEqualTo(81);
  }

  @Test
  void valuesOfTheSameLeaderAfterTheLastMarkAreEqual() throws Exception {
    Path directory = root.resolve("log");
    Path older = root.resolve("older");
    End first = live(directory, 10, offsets -> {});
    var begin = new ArrayList<Map<Integer, LogOffsets.Mark>>();
    live(directory, 5, offsets -> begin.add(offsets.marks())); // marks only the beginning
    copy(directory, older);
    End third = live(directory, 20, offsets -> {});
    copy(older, directory);
    live(directory, 90, offsets -> {});
    live(
        directory,
        0,
        offsets ->
            assertThat(offsets.diverged(List.of(first.marks(), begin.get(0), third.marks())))
                .isEqualTo(new Frontier(Map.of(0, 15L))));
  }

  @Test
  void aTopicThatIsMadeAgainHasAnotherId() throws Exception {
    Path directory = root.resolve("log");
    End first = live(directory, 10, offsets -> {});
    DirectoryTree.delete(directory);
    assertThat(live(directory, 20, offsets -> {}).id()).isNotEqualTo(first.id());
  }
}
