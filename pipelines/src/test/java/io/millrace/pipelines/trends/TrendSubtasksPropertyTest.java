package io.millrace.pipelines.trends;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.BucketedKeys;
import io.millrace.analytics.keyed.NewBuckets;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.trend.TrendAnalyzer;
import io.millrace.analytics.trend.TrendRows;
import io.millrace.analytics.trend.TrendSettings;
import io.millrace.pipelines.trends.DocumentedTrends.Line;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * The stateful way in a job: several senders and receivers, channels between them with any order of
 * delivery, and restores at other parallelisms. Must give the documented trends.
 */
class TrendSubtasksPropertyTest {
  private static final long MINUTE = 60_000_000;
  private static final long START = 1_767_225_600_000_000L;
  private static final long NEVER = 1_000_000_000_000_000L;
  private static final Duration STEP = Duration.ofMillis(11);
  private static final long[] WATERMARK_DELAY = {
    0, 1, MINUTE / 2, MINUTE, 2 * MINUTE + 1, 7 * MINUTE, 60 * MINUTE
  };

  /** Context of a subtask whose metrics are ignored. */
  private record Place(int index, int count, KeyGroups keyGroups) implements AnalyzerContext {
    @Override
    public Counter counter(String name) {
      return more -> {};
    }

    @Override
    public void gauge(String name, LongSupplier value) {}
  }

  /** A message from a sender to a receiver. */
  private sealed interface Message {
    record Rows(TableBlock block) implements Message {}

    record Bucket(long bucket) implements Message {}

    record Watermark(long micros) implements Message {}
  }

  private final Map<Integer, byte[]> kept = new HashMap<>();
  private final Map<Line, Integer> order = new HashMap<>();
  private final Set<String> trends = new HashSet<>();
  private SplittableRandom random;
  private TrendSettings settings;
  private BucketedKeys<TableBlock> keys;
  private long watermarkDelay;
  private long restored;
  private List<Sender> senders;
  private List<Receiver> receivers;

  /** Lines in order of arrival; keywords start one after another. */
  private List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    Map<Line, Long> arrivals = new HashMap<>();
    for (int minute = 0; minute < 16; minute++) {
      for (int keyword = 0; keyword <= minute; keyword++) {
        int count = minute < 3 ? random.nextInt(2) : 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
          long micros = START + minute * MINUTE + 1 + random.nextLong(MINUTE - 1);
          Line line = new Line(micros, "keyword " + keyword, 1 + random.nextInt(20));
          lines.add(line);
          arrivals.putIfAbsent(line, micros + random.nextLong(watermarkDelay + 1));
        }
      }
    }
    lines.sort(Comparator.comparing(arrivals::get));
    return lines;
  }

  private static TableBlock block(Line line) {
    TableBlock row = new TableBlock(TrendRows.EVENTS, 1);
    row.longs(0)[0] = line.micros();
    row.texts(1).add(line.keyword());
    row.longs(2)[0] = line.count();
    row.rows(1);
    return row;
  }

  private final class Sender {
    private final NewBuckets<TableBlock> buckets = new NewBuckets<>(keys);
    private final List<Queue<Message>> channels = new ArrayList<>();
    private final Queue<Line> lines = new ArrayDeque<>();
    private long newest = Long.MIN_VALUE;

    void send() {
      Line line = lines.remove();
      TableBlock block = block(line);
      buckets.find(block, bucket -> toAll(new Message.Bucket(bucket)));
      int[] hash = new int[1];
      keys.hashes(block, hash);
      int group = KeyGroups.groupOf(hash[0], KeyGroups.DEFAULT_MAX);
      channels
          .get(KeyGroups.subtaskOf(group, KeyGroups.DEFAULT_MAX, receivers.size()))
          .add(new Message.Rows(block));
      newest = Math.max(newest, line.micros());
      if (lines.isEmpty()) {
        end();
      } else if (random.nextInt(8) == 0) {
        toAll(new Message.Watermark(newest - watermarkDelay - 1));
      }
    }

    void end() {
      toAll(new Message.Watermark(Long.MAX_VALUE));
    }

    private void toAll(Message message) {
      channels.forEach(channel -> channel.add(message));
    }
  }

  private final class Receiver {
    private final TrendAnalyzer analyzer =
        new TrendAnalyzer(settings, Duration.ofNanos(watermarkDelay * 1_000).plus(STEP));
    private final KeyGroups groups;
    private final long[] watermarks;
    private long currentWatermark = restored;

    Receiver(int index, int count) throws IOException {
      groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, index, count);
      analyzer.open(new Place(index, count, groups));
      for (int group = groups.first(); group <= groups.last(); group++) {
        if (kept.containsKey(group)) {
          analyzer.restore(group, new BlockInput(kept.get(group), 0, kept.get(group).length));
        }
      }
      watermarks = new long[senders.size()];
      Arrays.fill(watermarks, Long.MIN_VALUE);
    }

    void take(int sender, Message message) throws Exception {
      if (message instanceof Message.Rows rows) {
        analyzer.process(rows.block(), none -> {});
      } else if (message instanceof Message.Bucket announced) {
        analyzer.hasBegun(announced.bucket());
      } else if (message instanceof Message.Watermark mark) {
        watermarks[sender] = mark.micros();
        long min = Arrays.stream(watermarks).min().orElseThrow();
        if (min > currentWatermark) {
          currentWatermark = min;
          analyzer.watermark(min, found -> trends.addAll(WatermarkDelayPropertyTest.texts(found)));
        }
      }
    }

    void keep() throws IOException {
      StateSnapshot snapshot = analyzer.snapshot();
      for (int group = groups.first(); group <= groups.last(); group++) {
        if (!snapshot.isEmpty(group)) {
          BlockBuffer out = new BlockBuffer(1 << 10);
          snapshot.write(group, out);
          kept.put(group, out.toBytes());
        }
      }
    }
  }

  private void start(int sending, int receiving, List<Line> lines) throws IOException {
    senders = new ArrayList<>();
    receivers = new ArrayList<>();
    for (int i = 0; i < sending; i++) {
      senders.add(new Sender());
    }
    for (int i = 0; i < receiving; i++) {
      receivers.add(new Receiver(i, receiving));
      senders.forEach(sender -> sender.channels.add(new ArrayDeque<>()));
    }
    if (restored != Long.MIN_VALUE) {
      for (Sender sender : senders) { // late for all, as is their first message
        Line late = new Line(restored - MINUTE - random.nextLong(9 * MINUTE), "late", 50);
        order.put(late, -1);
        sender.lines.add(late);
      }
    }
    lines.forEach(line -> senders.get(random.nextInt(sending)).lines.add(line));
    senders.stream().filter(sender -> sender.lines.isEmpty()).forEach(Sender::end);
  }

  private void deliver(int sender, int receiver, boolean isAll) throws Exception {
    Queue<Message> channel = senders.get(sender).channels.get(receiver);
    int max = isAll ? channel.size() : Math.min(channel.size(), random.nextInt(6));
    for (int i = 0; i < max; i++) {
      receivers.get(receiver).take(sender, channel.remove());
    }
  }

  private void deliverAll() throws Exception {
    for (int sender = 0; sender < senders.size(); sender++) {
      for (int receiver = 0; receiver < receivers.size(); receiver++) {
        deliver(sender, receiver, true);
      }
    }
  }

  /** Takes a checkpoint, which ends this attempt. */
  private void restore(int sending, int receiving) throws Exception {
    deliverAll();
    kept.clear();
    for (Receiver receiver : receivers) {
      receiver.keep();
    }
    restored =
        receivers.stream().mapToLong(receiver -> receiver.currentWatermark).min().orElseThrow();
    List<Line> left = new ArrayList<>();
    senders.forEach(sender -> left.addAll(sender.lines));
    left.sort(Comparator.comparing(order::get));
    start(sending, receiving, left);
  }

  @Property(tries = 60)
  void anyNumberOfSubtasksGivesTheDocumentedTrends(@ForAll long seed) throws Exception {
    random = new SplittableRandom(seed);
    watermarkDelay = WATERMARK_DELAY[random.nextInt(WATERMARK_DELAY.length)];
    settings =
        TrendSettings.defaults().withBuckets(1 + random.nextInt(5)).withFalls(random.nextBoolean());
    keys = TrendRows.keyword(settings);
    kept.clear();
    trends.clear();
    order.clear();
    restored = Long.MIN_VALUE;
    List<Line> lines = lines();
    for (int i = 0; i < lines.size(); i++) {
      order.putIfAbsent(lines.get(i), i);
    }
    start(1 + random.nextInt(3), 1 + random.nextInt(4), lines);
    int restores = random.nextInt(3);
    while (senders.stream().anyMatch(sender -> !sender.lines.isEmpty())) {
      Sender sender = senders.get(random.nextInt(senders.size()));
      if (!sender.lines.isEmpty()) {
        sender.send();
      }
      deliver(random.nextInt(senders.size()), random.nextInt(receivers.size()), false);
      if (restores > 0 && random.nextInt(40) == 0) {
        restores--;
        restore(1 + random.nextInt(3), 1 + random.nextInt(4));
      }
    }
    deliverAll();
    assertThat(trends).isEqualTo(DocumentedTrends.of(lines, settings, NEVER));
  }
}
