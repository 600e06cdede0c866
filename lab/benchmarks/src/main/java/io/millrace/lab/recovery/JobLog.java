package io.millrace.lab.recovery;

import io.millrace.cluster.ClusterProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Steps of the job since a moment, from the logs of the JobManagers: they have timestamps in
 * milliseconds, and polling the REST interface would load it.
 */
final class JobLog {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);
  private static final Pattern LINE =
      Pattern.compile("^(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}) .*");
  private static final Pattern JOB =
      Pattern.compile("Job \\S+ \\([0-9a-f]{32}\\) switched from state (\\w+) to (\\w+)");
  private static final Pattern TASK = Pattern.compile("switched from (\\w+) to (\\w+)");
  private static final String RUNNING = "RUNNING";

  /** The event of a line. */
  enum Kind {
    /** The job no longer runs. */
    STOPPED,
    /** Another JobManager leads. */
    LEADS,
    /** A subtask is sent to a TaskManager. */
    DEPLOYED,
    /** A subtask runs. */
    RUNS
  }

  /**
   * A step.
   *
   * @param atMicros since the epoch
   */
  record Step(long atMicros, Kind kind) {}

  private final Map<Path, Long> lengths = new HashMap<>();

  /** Starts at the current end of the logs. */
  JobLog(List<ClusterProcess> jobManagers) {
    for (ClusterProcess jobManager : jobManagers) {
      lengths.put(jobManager.log(), jobManager.log().toFile().length());
    }
  }

  /** All steps, ordered by time. */
  List<Step> steps() {
    List<Step> steps = new ArrayList<>();
    lengths.forEach(
        (log, from) -> {
          for (String line : linesSince(log, from)) {
            step(line).ifPresent(steps::add);
          }
        });
    steps.sort(Comparator.comparingLong(Step::atMicros));
    return steps;
  }

  private static List<String> linesSince(Path log, long from) {
    if (!Files.exists(log)) {
      return List.of();
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] added = new byte[Math.toIntExact(Math.max(0, file.length() - from))];
      file.seek(from);
      file.readFully(added);
      return new String(added, StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The step named by a line of the log, if any. */
  static Optional<Step> step(String line) {
    Matcher stamped = LINE.matcher(line);
    return stamped.matches()
        ? kind(line).map(kind -> new Step(micros(stamped.group(1)), kind))
        : Optional.empty();
  }

  private static Optional<Kind> kind(String line) {
    Matcher job = JOB.matcher(line);
    if (job.find()) {
      return job.group(1).equals(RUNNING) ? Optional.of(Kind.STOPPED) : Optional.empty();
    }
    if (line.contains("DispatcherRunner") && line.contains("granted leadership")) {
      return Optional.of(Kind.LEADS);
    }
    Matcher task = TASK.matcher(line);
    if (!task.find()) {
      return Optional.empty();
    }
    return switch (task.group(2)) {
      case RUNNING -> Optional.of(Kind.RUNS);
      case "DEPLOYING" -> Optional.of(Kind.DEPLOYED);
      default -> Optional.empty();
    };
  }

  private static long micros(String stamp) {
    return ChronoUnit.MICROS.between(
        java.time.Instant.EPOCH, LocalDateTime.parse(stamp, STAMP).toInstant(ZoneOffset.UTC));
  }
}
