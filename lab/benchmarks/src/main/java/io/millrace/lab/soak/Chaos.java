package io.millrace.lab.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.lab.harness.BenchContext;
import io.millrace.lab.harness.Figure;
import io.millrace.lab.harness.WrongResultException;
import io.millrace.pulse.ChildProcess;
import io.millrace.pulse.DirectoryTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Random faults of a host, its disk and its operator: odd paths, time zones, languages, clocks that
 * are a year ahead, SIGKILLs and stops, damaged checkpoints, logs that are restored or deleted,
 * imports. Each flow has its own identity. At the end, all rows sent are stored exactly once,
 * except those that the ledger reports as lost.
 *
 * <p>The time is divided into eras, each with its own directory and accounting.
 */
final class Chaos implements AutoCloseable {
  private static final String SETTINGS =
      "store:\n  memory: 512MiB\njob:\n  checkpoint-interval: 3s\n";

  static final double DATAGRAMS_PER_SECOND = 300;
  private static final int ERA_SECONDS = 420;
  private static final int SHORTEST_LIFE = 8;
  private static final int LONGEST_LIFE = 40;
  private static final long REST_SECONDS = 180;
  private static final int MAX_IMPORTED = 50_000;
  private static final Duration COMPILING = Duration.ofMinutes(1);
  private static final int DAYS_AHEAD = 400;

  /** Names that are special to a shell, a URI, SQL, a list, a pattern or a locale. */
  private static final List<String> NAMES =
      List.of(
          "a b", "50%", "%20", "x,y", "#1", "it's", "größe", "a;b", "[1]*", "\"q\"", "$HOME",
          "a:b");

  private static final List<String> ZONES =
      List.of("UTC", "America/New_York", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Kiritimati");

  private static final List<String> LANGUAGES = List.of("en", "tr", "ar", "th", "de", "hi");

  private static final int MAX_TRIES = 5;

  private interface Request<T> {
    T send() throws IOException;
  }

  /** A change of the data between two lives. */
  private enum Harm {
    NONE,
    CHECKPOINT_CUT,
    CHECKPOINT_CHANGED,
    CHECKPOINT_WITHOUT_METADATA,
    ALL_CHECKPOINTS_CUT,
    LOG_OLDER,
    LOG_DELETED
  }

  private final BenchContext context;
  private final long seed;
  private final SplittableRandom random;
  private final UniqueFlows flows;
  private final Map<String, Integer> done = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();
  private final Path exported;
  private final Optional<Path> wrongClock;
  private long rows;
  private long lost;
  private long imported;

  Chaos(BenchContext context, long seed, double datagramsPerSecond) throws IOException {
    this.context = context;
    this.seed = seed;
    random = new SplittableRandom(seed);
    flows = new UniqueFlows(datagramsPerSecond);
    exported = context.directory().resolve("exported.parquet");
    wrongClock = wrongClock(context);
  }

  /** Compiles the library that puts a process's clock ahead; empty without a compiler. */
  private static Optional<Path> wrongClock(BenchContext context) throws IOException {
    Path source = context.directory().resolve("wrong-clock.c");
    Path library = context.directory().resolve("wrong-clock.so");
    try (InputStream code = Chaos.class.getResourceAsStream("wrong-clock.c")) {
      Files.copy(code, source);
    }
    try {
      ChildProcess.run(
          context.directory().resolve("cc.out"),
          COMPILING,
          List.of("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), source.toString()));
    } catch (IOException e) {
      context.lines().accept("clock steps disabled, no C compiler: " + e.getMessage());
    }
    return Optional.of(library).filter(Files::exists);
  }

  void run(int seconds) throws Exception {
    long begun = System.nanoTime();
    for (int era = 0; era == 0 || remaining(begun, seconds) > ERA_SECONDS / 2.0; era++) {
      int left = (int) remaining(begun, seconds);
      new Era(era).run(left < 1.5 * ERA_SECONDS ? left : ERA_SECONDS);
    }
    Figure figure =
        Figure.of("soak.chaos", "differences", faults.size(), "sums")
            .with("seconds", seconds)
            .with("seed", seed)
            .with("rows_sent", flows.sent() * UniqueFlows.SAMPLES)
            .with("rows_stored", rows - imported)
            .with("rows_lost", lost)
            .with("rows_imported", imported);
    for (Map.Entry<String, Integer> each : done.entrySet()) {
      figure = figure.with(each.getKey(), each.getValue());
    }
    context.report(figure.aiming(Figure.Target.atMost(0)));
    if (!faults.isEmpty()) {
      throw new WrongResultException(String.join("; ", faults));
    }
  }

  private static double remaining(long begun, int seconds) {
    return seconds - (System.nanoTime() - begun) / 1e9;
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private void did(String what) {
    done.merge(what, 1, Integer::sum);
    context.lines().accept(what);
  }

  private static void pause(double seconds) {
    long until = System.nanoTime() + (long) (seconds * 1e9);
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(until - System.nanoTime());
    }
  }

  @Override
  public void close() throws IOException {
    flows.close();
  }

  /** One directory, from its first life to the accounting. */
  private final class Era {
    private final Path directory;
    private final Path older;
    private long sentBefore;
    private long importedHere;

    Era(int number) {
      directory = context.directory().resolve(number + " " + any(NAMES) + " " + any(NAMES));
      older = context.directory().resolve("older-log");
    }

    void run(int seconds) throws Exception {
      context.lines().accept("era in " + directory);
      long begun = System.nanoTime();
      try (Instance instance = new Instance(directory, SETTINGS)) {
        start(instance, false);
        sentBefore = flows.sent();
        flows.to(instance.udp());
        while (remaining(begun, seconds) > LONGEST_LIFE) {
          pause(random.nextInt(SHORTEST_LIFE, LONGEST_LIFE));
          use(instance);
          interrupt(instance);
        }
        if (clockIsWrong) {
          flows.pause();
          instance.stop();
          start(instance, false);
        }
        close(instance);
      }
      DirectoryTree.delete(directory);
      DirectoryTree.delete(older);
    }

    private boolean clockIsWrong;

    private void start(Instance instance, boolean isWrong) throws IOException {
      clockIsWrong = isWrong;
      List<String> environment = new ArrayList<>();
      environment.add("LC_ALL=C.UTF-8"); // the launcher sets it
      environment.add("TZ=" + any(ZONES));
      if (isWrong) {
        environment.add("LD_PRELOAD=" + wrongClock.orElseThrow());
        environment.add("WRONG_CLOCK_SECONDS=" + TimeUnit.DAYS.toSeconds(DAYS_AHEAD));
        did("clock_steps");
      }
      String language = any(LANGUAGES);
      instance.start(
          environment,
          List.of(
              "-Duser.language=" + language,
              "-Duser.country=" + (language.equals("tr") ? "TR" : "")));
      JsonNode status = again(() -> instance.patientApi().get("status"));
      status.path("problems").forEach(problem -> context.lines().accept("! " + problem.asText()));
    }

    /** Checks the rows by queries, and sometimes imports a file. */
    private void use(Instance instance) throws IOException {
      long all = number(instance, "SELECT count(*) FROM flows");
      long different = number(instance, "SELECT count(DISTINCT src_addr) FROM flows");
      if (all != different && number(instance, "SELECT count(*) FROM flows") == all) {
        faults.add(directory.getFileName() + ": " + all + " rows, " + different + " distinct");
      }
      long now =
          number(
              instance,
              "SELECT count(*) FROM flows WHERE time >= now() - INTERVAL 1 DAY AND time <= now() + INTERVAL 1 DAY");
      if (now == 0 && !clockIsWrong && all > 0) {
        faults.add(directory.getFileName() + ": no row within a day of now");
      }
      if (Files.exists(exported) && !clockIsWrong && random.nextInt(3) == 0) {
        long added = again(() -> instance.patientApi().add(exported));
        importedHere += added;
        did(added > 0 ? "imports" : "imports_of_known_rows");
      }
    }

    private long number(Instance instance, String sql) throws IOException {
      return again(() -> instance.patientApi().sql(sql)).path(0).path(0).asLong();
    }

    private JsonNode ledger(Instance instance) throws IOException {
      return again(() -> instance.patientApi().get("ledger")).path("exporters");
    }

    /** Retries, as the first request on a connection of the previous life fails. */
    private static <T> T again(Request<T> request) throws IOException {
      for (int tries = 1; ; tries++) {
        try {
          return request.send();
        } catch (Api.WrongAnswer e) {
          throw e;
        } catch (IOException e) {
          if (tries == MAX_TRIES) {
            throw e;
          }
          pause(1);
        }
      }
    }

    private void interrupt(Instance instance) throws IOException {
      Harm harm = any(List.of(Harm.values()));
      boolean isOfLog = harm == Harm.LOG_OLDER || harm == Harm.LOG_DELETED;
      if (isOfLog) { // rows that the log loses are stored
        flows.pause();
        awaitRest(instance);
        instance.stop();
        did("stops");
      } else if (random.nextInt(3) > 0) {
        instance.kill();
        did("kills");
      } else {
        instance.stop();
        did("stops");
      }
      Path data = directory.resolve("data");
      boolean isDone =
          switch (harm) {
            case NONE -> false;
            case CHECKPOINT_CUT, ALL_CHECKPOINTS_CUT -> cut(data, harm == Harm.ALL_CHECKPOINTS_CUT);
            case CHECKPOINT_CHANGED -> change(data);
            case CHECKPOINT_WITHOUT_METADATA -> withoutMetadata(data);
            case LOG_OLDER -> putBack(data.resolve("log"));
            case LOG_DELETED -> delete(data.resolve("log"));
          };
      if (isDone) {
        did(harm.name().toLowerCase(java.util.Locale.ROOT));
      }
      if (isOfLog || !Files.exists(older)) {
        DirectoryTree.delete(older);
        copy(data.resolve("log"), older);
      }
      start(instance, !clockIsWrong && wrongClock.isPresent() && random.nextInt(6) == 0);
      flows.to(instance.udp());
    }

    private List<Path> checkpoints(Path data) throws IOException {
      try (Stream<Path> files = Files.walk(data.resolve("checkpoints"))) {
        return files
            .filter(file -> file.getFileName().toString().equals("_metadata"))
            .filter(file -> file.getParent().getFileName().toString().matches("chk-\\d+"))
            .sorted(
                Comparator.comparingInt(
                    (Path file) ->
                        -Integer.parseInt(
                            file.getParent().getFileName().toString().substring("chk-".length()))))
            .toList();
      }
    }

    private Optional<Path> newest(Path data) throws IOException {
      return checkpoints(data).stream().findFirst();
    }

    private boolean cut(Path data, boolean all) throws IOException {
      List<Path> found = checkpoints(data);
      for (Path metadata : all ? found : found.stream().limit(1).toList()) {
        byte[] bytes = Files.readAllBytes(metadata);
        Files.write(metadata, java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length)));
      }
      return !found.isEmpty();
    }

    private boolean change(Path data) throws IOException {
      Optional<Path> metadata = newest(data);
      if (metadata.isPresent()) {
        byte[] bytes = Files.readAllBytes(metadata.get());
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        Files.write(metadata.get(), bytes);
      }
      return metadata.isPresent();
    }

    private boolean withoutMetadata(Path data) throws IOException {
      Optional<Path> metadata = newest(data);
      if (metadata.isPresent()) {
        Files.delete(metadata.get());
      }
      return metadata.isPresent();
    }

    private boolean putBack(Path log) throws IOException {
      if (!Files.exists(older)) {
        return false;
      }
      DirectoryTree.delete(log);
      copy(older, log);
      return true;
    }

    private boolean delete(Path log) throws IOException {
      DirectoryTree.delete(log);
      Files.createDirectories(log);
      return true;
    }

    private static void copy(Path from, Path to) throws IOException {
      try (Stream<Path> files = Files.walk(from)) {
        for (Path file : files.toList()) {
          Files.copy(file, to.resolve(from.relativize(file).toString()));
        }
      }
    }

    /** Waits until the ledger settles. */
    private void awaitRest(Instance instance) throws IOException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
      JsonNode before = ledger(instance);
      int same = 0;
      while (same < 3 && System.nanoTime() < deadline) {
        pause(1);
        JsonNode now = ledger(instance);
        same = now.equals(before) && now.path(0).path("in_flight").asLong() == 0 ? same + 1 : 0;
        before = now;
      }
      if (same < 3) {
        faults.add(directory.getFileName() + ": the ledger does not settle: " + before);
      }
    }

    private void close(Instance instance) throws IOException {
      flows.to(instance.udp());
      pause(2); // the next sequence number shows losses
      flows.pause();
      awaitRest(instance);
      long sent = flows.sent() - sentBefore;
      JsonNode ledger = ledger(instance);
      long stored = sum(ledger, List.of("stored"));
      long gone =
          sum(
              ledger,
              List.of(
                  "lost_before",
                  "lost_while_down",
                  "dropped_by_kernel",
                  "dropped_by_us",
                  "expired",
                  "malformed"));
      long all = number(instance, "SELECT count(*) FROM flows");
      long different = number(instance, "SELECT count(DISTINCT src_addr) FROM flows");
      long expected = (sent - gone) * UniqueFlows.SAMPLES + importedHere;
      String name = directory.getFileName().toString();
      expect(name + ": datagrams stored and lost", sent, stored + gone);
      expect(name + ": rows", expected, all);
      expect(name + ": distinct rows", all, different);
      expect(name + ": rows committed", all, committed(instance, all));
      rows += all;
      lost += gone * UniqueFlows.SAMPLES;
      imported += importedHere;
      if (all <= MAX_IMPORTED || !Files.exists(exported)) {
        again(
            () -> {
              instance.patientApi().export(exported);
              return exported;
            });
      }
      if (!instance.stop()) {
        faults.add(name + ": the process does not exit on SIGTERM");
      }
      context.report(
          Figure.of("soak.chaos.era", "rows", (double) all, "stored")
              .with("sent", sent * UniqueFlows.SAMPLES)
              .with("lost", gone * UniqueFlows.SAMPLES)
              .with("imported", importedHere)
              .with("lives", instance.lives()));
    }

    /** Waits until all expected rows are committed, or a timeout; returns the committed rows. */
    private long committed(Instance instance, long expected) throws IOException {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
      while (true) {
        long committed = number(instance, "SELECT count(*) FROM flows_committed");
        if (committed == expected || System.nanoTime() > deadline) {
          return committed;
        }
        pause(1);
      }
    }

    private static long sum(JsonNode exporters, List<String> parts) {
      long sum = 0;
      for (JsonNode exporter : exporters) {
        for (String part : parts) {
          sum += exporter.path(part).asLong();
        }
      }
      return sum;
    }

    private void expect(String what, long expected, long found) {
      if (expected != found) {
        faults.add(what + ": expected " + expected + ", found " + found);
        context.lines().accept(faults.get(faults.size() - 1));
      }
    }
  }
}
