package io.millrace.engine.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.engine.SharedLog;
import io.millrace.engine.log.LogTopics;
import io.millrace.wire.sink.UnrecoverableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The version for a record is decided once. */
@ExtendWith(SharedLog.class)
class TableTopicIT {
  private static final Duration DELAY = Duration.ofMillis(600);

  private TableTopic<String> topic;

  @BeforeEach
  void make() {
    topic =
        new TableTopic<>(
            SharedLog.bootstrapServers(), SharedLog.newName(), DELAY, TableTopicIT::parse);
    topic.ensure(new LogTopics(SharedLog.log(), SharedLog.CONFIG));
  }

  private static String parse(byte[] version) throws IOException {
    String text = new String(version, StandardCharsets.UTF_8);
    if (text.startsWith("?")) {
      throw new IOException("line 1: not a table");
    }
    return text;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static long micros(Instant moment) {
    return moment.toEpochMilli() * 1_000;
  }

  @Test
  void aVersionAppliesFromItsTimeForAllReadersAndAfterARestart() throws Exception {
    Instant first = topic.publish(bytes("one"));
    Instant second;
    try (TableReader<String> before = topic.open()) {
      second = topic.publish(bytes("two"));
      assertThat(topic.publish(bytes("two"))).as("the same again").isEqualTo(second);
      assertThat(before.at(micros(second) - 1)).isEqualTo("one");
      assertThat(before.at(micros(second))).isEqualTo("two"); // waits until the version is known
      assertThat(Instant.now()).isAfter(second.minus(DELAY));
    }
    try (TableReader<String> after = topic.open()) {
      assertThat(after.at(0)).as("long ago").isEqualTo("one");
      assertThat(after.at(micros(first))).isEqualTo("one");
      assertThat(after.at(micros(second) - 1)).isEqualTo("one");
      assertThat(after.at(micros(second))).isEqualTo("two");
      assertThat(after.broken()).isZero();
    }
  }

  @Test
  void anInvalidVersionIsRejectedAndTheOldOneKept() throws Exception {
    topic.publish(bytes("one"));
    assertThatThrownBy(() -> topic.publish(bytes("?")))
        .isInstanceOf(IOException.class)
        .hasMessage("line 1: not a table");
    TableTopic<String> careless =
        new TableTopic<>(topic.bootstrapServers(), topic.topic(), DELAY, String::new);
    careless.publish(bytes("?"));
    Instant third = topic.publish(bytes("three"));
    try (TableReader<String> reader = topic.open()) {
      assertThat(reader.at(micros(third) - 1)).isEqualTo("one");
      assertThat(reader.at(micros(third))).isEqualTo("three");
      assertThat(reader.broken()).isEqualTo(1);
    }
  }

  @Test
  void aTableWithoutAVersionFailsTheStart() {
    assertThatThrownBy(topic::open)
        .isInstanceOf(UnrecoverableException.class)
        .hasMessage("topic " + topic.topic() + " is empty: publish a version of the table");
  }
}
