package io.millrace.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.engine.log.EmbeddedLog;
import io.millrace.engine.log.LogConfig;
import io.millrace.engine.log.LogTopics;
import io.millrace.wire.block.Frontier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One broker for all tests of a run that do not stop it: each uses its own topics. */
public final class SharedLog implements BeforeAllCallback {
  /** Settings of topics; a broker under load takes long for its first values. */
  public static final LogConfig CONFIG =
      LogConfig.defaults().withPartitions(3).withBuffer(8L << 20, Duration.ofMinutes(1));

  private static final AtomicInteger TOPICS = new AtomicInteger();
  private static RunningLog running;

  /** Closed with the whole run. */
  private record RunningLog(EmbeddedLog log, Path directory) implements AutoCloseable {
    @Override
    public void close() {
      log.close();
      deleteTree(directory);
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    running =
        context
            .getRoot()
            .getStore(ExtensionContext.Namespace.create(SharedLog.class))
            .getOrComputeIfAbsent(RunningLog.class, key -> begin(), RunningLog.class);
  }

  private static RunningLog begin() {
    try {
      Path directory = Files.createTempDirectory("millrace-log-");
      EmbeddedLog log = new EmbeddedLog(CONFIG, directory);
      log.start();
      return new RunningLog(log, directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The broker. */
  public static EmbeddedLog log() {
    return running.log();
  }

  /** Bootstrap servers of the broker. */
  public static String bootstrapServers() {
    return running.log().bootstrapServers();
  }

  /** A unique name. */
  public static String newName() {
    return "topic-" + TOPICS.incrementAndGet();
  }

  /** Creates an empty topic with a unique name. */
  public static String newTopic(int partitions) {
    String name = newName();
    make(name, partitions);
    return name;
  }

  /** Creates a topic. */
  public static void make(String name, int partitions) {
    LogConfig config = CONFIG.withPartitions(partitions);
    assertThat(new LogTopics(running.log(), config).ensure(name).created()).isTrue();
  }

  /** Deletes values as retention would. */
  public static void deleteBefore(String topic, Frontier frontier) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
      Map<TopicPartition, RecordsToDelete> before = new HashMap<>();
      frontier
          .next()
          .forEach(
              (partition, offset) ->
                  before.put(
                      new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)));
      admin.deleteRecords(before).all().get();
    }
  }

  /** Deletes a directory with its contents. */
  public static void deleteTree(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
