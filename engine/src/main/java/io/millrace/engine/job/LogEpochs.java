package io.millrace.engine.job;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.engine.log.LogEpoch;
import io.millrace.engine.log.LogOffsets;
import io.millrace.pulse.StateFile;
import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.LogPartition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines the {@linkplain LogPartition epoch} in which a job reads its topics: whether the part
 * of the log that the job has read is still the same. A new epoch begins if values at the end are
 * missing or were replaced by others, or if the topic was deleted and created again.
 *
 * <p>The identity of a topic is stored with the job's checkpoints, in {@value #FILE}: its id, and
 * for each partition its end offset with the leader epoch. The epochs are determined before the job
 * starts, and before this process writes to the log.
 *
 * <p>Not thread-safe.
 */
public final class LogEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(LogEpochs.class);
  private static final String FILE = "log-epochs";
  private static final int MAX_MARKS = 32;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * State of a topic when the job was last started or stopped.
   *
   * @param from first offset of each partition in this epoch
   * @param until first offset of each partition that the log had lost when the epoch began
   * @param read offsets up to which the restored checkpoint had read the previous epoch, or, if
   *     less, up to which the table has its rows; {@code from} without a checkpoint
   * @param restored id of the checkpoint from which the epoch started; later ones belong to this
   *     epoch; 0 for none
   * @param history end of each partition at each start and stop of the job, oldest first
   */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Topic(
      String id,
      int epoch,
      Map<Integer, Long> from,
      Map<Integer, Long> until,
      Map<Integer, Long> read,
      long restored,
      List<Map<Integer, LogOffsets.Mark>> history) {

    Topic recreated(String other, Map<Integer, LogOffsets.Mark> now) {
      return new Topic(other, epoch, from, until, read, restored, List.of(now));
    }

    Topic with(Map<Integer, LogOffsets.Mark> now) {
      List<Map<Integer, LogOffsets.Mark>> marks = new ArrayList<>(history);
      if (marks.isEmpty() || !marks.get(marks.size() - 1).equals(now)) {
        marks.add(now);
      }
      int first = Math.max(0, marks.size() - MAX_MARKS);
      return new Topic(id, epoch, from, until, read, restored, marks.subList(first, marks.size()));
    }
  }

  private final Path home;
  private final StateFile file;
  private final String bootstrapServers;
  private final OptionalLong restored;
  private final Map<TopicPartition, Long> positions;
  private final Map<String, Topic> topics;
  private final Map<String, LogEpoch> epochs = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  LogEpochs(Path home, Optional<Path> restored, String bootstrapServers) {
    this.home = home;
    file = new StateFile(home.resolve(FILE));
    this.bootstrapServers = bootstrapServers;
    try {
      if (restored.isPresent()) {
        CheckpointFiles checkpoint = CheckpointFiles.read(restored.get());
        this.restored = OptionalLong.of(checkpoint.metadata().getCheckpointId());
        positions = checkpoint.positions();
      } else {
        this.restored = OptionalLong.empty();
        positions = Map.of();
      }
    } catch (IOException e) {
      throw new JobException("cannot read " + restored.get() + ": " + e.getMessage(), e);
    }
    topics = new TreeMap<>(read());
  }

  /**
   * Reads the epochs of a job on a cluster.
   *
   * @param checkpoints directory of the checkpoints of all jobs
   * @param job its name
   * @param restored path or URI of the checkpoint from which it starts, if any
   * @return empty if this machine cannot read the checkpoints as files: then the first epoch is
   *     used
   */
  public static Optional<LogEpochs> of(
      URI checkpoints, String job, Optional<String> restored, String bootstrapServers) {
    Optional<URI> checkpoint = restored.map(CheckpointHome::parse);
    boolean isInFiles =
        checkpoints.getScheme().equals("file")
            && checkpoint.map(URI::getScheme).orElse("file").equals("file");
    return isInFiles
        ? Optional.of(
            new LogEpochs(
                JobPlan.home(Path.of(checkpoints), job),
                checkpoint.map(Path::of),
                bootstrapServers))
        : Optional.empty();
  }

  private Map<String, Topic> read() {
    try {
      Optional<byte[]> known = file.read();
      return known.isPresent() ? JSON.readValue(known.get(), new TypeReference<>() {}) : Map.of();
    } catch (StateFile.DamagedException | JsonProcessingException e) {
      problems.add(
          "%s; file renamed, so a log replaced since then will not be detected: %s"
              .formatted(e.getMessage(), file.damaged()));
      return setAside();
    } catch (IOException e) {
      throw new JobException("cannot read " + file + ": " + e.getMessage(), e);
    }
  }

  private Map<String, Topic> setAside() {
    try {
      file.setAside();
    } catch (IOException e) {
      LOG.warn("cannot rename {}: {}", file, e.getMessage());
    }
    return Map.of();
  }

  /**
   * The epoch of a topic, which must exist.
   *
   * @param table end offsets, by partition number, of the topic's values in its table; absent if no
   *     table records the offsets of the topic
   */
  public LogEpoch of(String topic, Optional<Frontier> table) {
    return epochs.computeIfAbsent(topic, name -> resolve(name, table));
  }

  private LogEpoch resolve(String topic, Optional<Frontier> table) {
    Frontier stored = table.orElse(Frontier.EMPTY);
    try (LogOffsets log = new LogOffsets(bootstrapServers, topic)) {
      Topic last = topics.get(topic);
      String id = log.topicId();
      boolean isKnown = last != null && last.id().equals(id);
      Map<Integer, LogOffsets.Mark> marks = log.marks();
      int number = Math.max(last == null ? 0 : last.epoch(), stored.epoch());
      if (last == null || last.epoch() < number) {
        last = new Topic(id, number, Map.of(), Map.of(), Map.of(), 0, List.of());
      }
      Frontier end = log.end();
      Frontier read = read(topic, last, stored.ofEpoch(number));
      Frontier reached = read.union(stored.ofEpoch(number));
      boolean wasRead = reached.next().values().stream().anyMatch(offset -> offset > 0);
      boolean isReplaced = wasRead && !last.id().equals(id);
      Frontier same = isReplaced ? Frontier.EMPTY : least(end, log.diverged(last.history()));
      Map<Integer, Long> lost = new TreeMap<>(reached.next());
      lost.keySet().removeIf(partition -> reached.next(partition) <= same.next(partition));
      Topic now = last.id().equals(id) ? last.with(marks) : last.recreated(id, marks);
      Frontier start = read;
      Frontier missing =
          table.isPresent() ? missing(log, read, stored.ofEpoch(number)) : Frontier.EMPTY;
      if (isReplaced || !lost.isEmpty() || !missing.next().isEmpty()) {
        Map<Integer, Long> from = new TreeMap<>();
        Map<Integer, Long> until = new TreeMap<>();
        Map<Integer, Long> before = new TreeMap<>();
        for (int partition : end.union(reached).next().keySet()) {
          long next = missing.next().getOrDefault(partition, read.next(partition));
          from.put(partition, Math.min(next, same.next(partition)));
          until.put(partition, same.next(partition));
          before.put(partition, restored.isPresent() ? next : from.get(partition));
        }
        now = new Topic(id, number + 1, from, until, before, restored.orElse(0), List.of(marks));
        start = new Frontier(from);
        problems.add(
            isReplaced || !lost.isEmpty()
                ? problem(topic, number + 1, isReplaced, lost, same)
                : missing(topic, number + 1, missing, read));
      } else if (restored.isEmpty()) {
        now = new Topic(id, number, last.from(), last.until(), last.read(), 0, now.history());
      }
      topics.put(topic, now);
      write();
      return new LogEpoch(
          now.epoch(),
          new Frontier(now.from()),
          new Frontier(now.until()),
          new Frontier(now.read()),
          restored.isPresent(),
          firstMicros(log, isKnown && now.epoch() == 0, start.union(log.begin())));
    }
  }

  /**
   * Append time of the first value to read; 0 if the job reads everything that was ever in the
   * topic.
   */
  private long firstMicros(LogOffsets log, boolean isKnown, Frontier start) {
    boolean isAll =
        isKnown
            && restored.isEmpty()
            && start.next().values().stream().allMatch(offset -> offset == 0);
    return isAll ? 0 : log.firstMicros(start);
  }

  private Frontier read(String topic, Topic last, Frontier stored) {
    if (restored.isEmpty()) {
      return new Frontier(last.from()).union(stored);
    }
    if (restored.getAsLong() <= last.restored()) {
      return new Frontier(last.from()); // the checkpoint is of the previous epoch
    }
    Map<Integer, Long> read = new TreeMap<>();
    positions.forEach(
        (partition, offset) -> {
          if (partition.topic().equals(topic)) {
            read.put(
                partition.partition(), Math.max(0, offset)); // negative if no value was read yet
          }
        });
    return new Frontier(read);
  }

  /** Start of the values that the checkpoint has read but whose rows the table lacks. */
  private Frontier missing(LogOffsets log, Frontier read, Frontier stored) {
    Map<Integer, Long> missing = new TreeMap<>();
    if (restored.isPresent()) {
      read.next()
          .forEach(
              (partition, next) -> {
                if (stored.next(partition) < next
                    && log.hasValue(partition, stored.next(partition), next)) {
                  missing.put(partition, stored.next(partition));
                }
              });
    }
    return new Frontier(missing);
  }

  private static String missing(String topic, int epoch, Frontier missing, Frontier read) {
    return "the store lacks rows of values that the checkpoint has read: %s; topic %s is read again from there, as epoch %d; values no longer in the log are missing"
        .formatted(
            missing.next().entrySet().stream()
                .map(
                    each ->
                        "%d to %d of partition %d"
                            .formatted(
                                each.getValue(), read.next(each.getKey()) - 1, each.getKey()))
                .collect(Collectors.joining(", ")),
            topic,
            epoch);
  }

  private static Frontier least(Frontier end, Frontier diverged) {
    Map<Integer, Long> least = new TreeMap<>(end.next());
    diverged.next().forEach((partition, offset) -> least.merge(partition, offset, Math::min));
    return new Frontier(least);
  }

  private static String problem(
      String topic, int epoch, boolean isReplaced, Map<Integer, Long> lost, Frontier same) {
    StringBuilder text = new StringBuilder("the log of topic ").append(topic);
    if (isReplaced) {
      text.append(" was replaced by another one");
    } else {
      text.append(" has lost values ")
          .append(
              lost.entrySet().stream()
                  .map(
                      each ->
                          "%d to %d of partition %d"
                              .formatted(
                                  same.next(each.getKey()), each.getValue() - 1, each.getKey()))
                  .collect(Collectors.joining(", ")));
    }
    return text.append(
            "; rows stored from them are kept, new values are read as epoch %d; data received but not yet stored is lost, also for open windows"
                .formatted(epoch))
        .toString();
  }

  /** Problems found, one line for each topic that begins a new epoch. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** Records the current end of the log, so that later losses are detected. */
  public void mark() {
    for (String topic : epochs.keySet()) {
      try (LogOffsets log = new LogOffsets(bootstrapServers, topic)) {
        topics.computeIfPresent(topic, (name, last) -> last.with(log.marks()));
      }
    }
    write();
  }

  private void write() {
    try {
      Files.createDirectories(home);
      file.write(JSON.writeValueAsBytes(topics));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file + ": " + e.getMessage(), e);
    }
  }
}
