package io.millrace.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogTopics;
import io.millrace.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The content of a watched file becomes a version, if it is valid. */
@ExtendWith(SharedLog.class)
class TableFileWatchIT {
  @TempDir private Path directory;
  private Path file;
  private TableTopic<String> topic;

  @BeforeEach
  void make() throws IOException {
    file = Files.writeString(directory.resolve("table.csv"), "one");
    topic =
        new TableTopic<>(
            SharedLog.bootstrapServers(),
            SharedLog.newName(),
            Duration.ofSeconds(1),
            TableFileWatchIT::parse);
    topic.ensure(new LogTopics(SharedLog.log(), SharedLog.CONFIG));
  }

  private static String parse(byte[] version) throws IOException {
    String text = new String(version, StandardCharsets.UTF_8);
    if (text.startsWith("?")) {
      throw new IOException("line 1: not a table");
    }
    return text;
  }

  /** Atomically: readers see the old file or the new one. */
  private void replace(String text) throws IOException {
    Path other = Files.writeString(directory.resolve("other.csv"), text);
    Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private List<String> versions() {
    List<String> versions = new ArrayList<>();
    TableVersions.readAll(
        topic.bootstrapServers(),
        topic.topic(),
        (offset, millis, value) -> versions.add(new String(value, StandardCharsets.UTF_8)));
    return versions;
  }

  private void awaitVersions(String... versions) {
    Await.until("versions " + List.of(versions), () -> versions().equals(List.of(versions)));
  }

  @Test
  void aFileIsPublishedWhenItIsReplacedOrWrittenAndAnInvalidOneIsReported() throws IOException {
    try (TableFileWatch watch = new TableFileWatch(new TableFile(file, topic))) {
      watch.start();
      awaitVersions("one");
      replace("two");
      awaitVersions("one", "two");

      replace("? three");
      Await.until("the broken file to be reported", () -> watch.problem().isPresent());
      assertThat(watch.problem()).contains(file + ": line 1: not a table");
      assertThat(versions()).containsExactly("one", "two");

      Files.delete(file);
      Await.until(
          "the missing file to be reported",
          () ->
              watch.problem().orElse("").contains(file.toString())
                  && !watch.problem().orElse("").contains("line 1"));
      replace("three");
      awaitVersions("one", "two", "three");
      Await.until("no problem", () -> watch.problem().isEmpty());
      Files.writeString(file, "four and more");
      awaitVersions("one", "two", "three", "four and more");
    }
    try (TableFileWatch next = new TableFileWatch(new TableFile(file, topic))) {
      next.start(); // an unchanged file is not a new version
      replace("five");
      awaitVersions("one", "two", "three", "four and more", "five");
    }
  }
}
