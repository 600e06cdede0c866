package io.millrace.analytics.testing;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.Output;
import io.millrace.analytics.PartitionedState;
import io.millrace.analytics.Step;
import io.millrace.analytics.keyed.KeyedState;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

final class Subtasks<A extends Step<O>, O extends Block> implements AutoCloseable {
  private static final int MAX = 3;

  interface Printer {
    <B extends Block> List<String> print(Output<B> output, B block);
  }

  private final Supplier<? extends A> factory;
  private final Function<O, List<String>> print;
  private final Printer printFurther;
  private final StepTester.Way way;
  private final List<String> output = new ArrayList<>();
  private final Map<Output<?>, List<String>> further = new HashMap<>();
  private List<A> analyzers;
  private final Map<String, Long> counted = new TreeMap<>();
  private long currentWatermark = Long.MIN_VALUE;
  private boolean isGivenUp;
  private int inputs;
  private int offers;

  Subtasks(
      Supplier<? extends A> factory,
      Function<O, List<String>> print,
      Printer printFurther,
      StepTester.Way way)
      throws Exception {
    this.factory = factory;
    this.print = print;
    this.printFurther = printFurther;
    this.way = way;
    analyzers = open(way.subtasks());
  }

  private List<A> open(int count) throws Exception {
    List<A> opened = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      A analyzer = factory.get();
      opened.add(analyzer);
      analyzer.open(new TestContext(i, count));
    }
    return opened;
  }

  long counted(String name) {
    return counted.getOrDefault(name, 0L);
  }

  List<String> output() {
    return output.stream().sorted().toList();
  }

  List<String> output(Output<?> of) {
    return further.getOrDefault(of, List.of()).stream().sorted().toList();
  }

  void next(Event<A, O> event) throws Exception {
    if (way.restoredEvery() > 0 && inputs > 0 && inputs % way.restoredEvery() == 0) {
      restore(event);
    }
    inputs++;
    feed(event, new BlockCollector());
  }

  private void feed(Event<A, O> event, Emitter<O> out) throws Exception {
    if (event instanceof Event.TimeEvent<A, O> passed) {
      currentWatermark = passed.micros();
    }
    for (int subtask = 0; subtask < analyzers.size(); subtask++) {
      KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, subtask, analyzers.size());
      event.feed(analyzers.get(subtask), groups, out);
    }
  }

  /**
   * Takes a checkpoint and restarts from it. Between the snapshot and its serialisation the old
   * analyzers process the next input, as in an engine, to reveal shared state.
   */
  private void restore(Event<A, O> next) throws Exception {
    if (!(analyzers.get(0) instanceof KeyedState)) {
      restorePieces();
      return;
    }
    List<StateSnapshot> before = snapshots();
    states(before);
    before.forEach(StateSnapshot::release); // the memory is reused by snapshots that count
    List<StateSnapshot> snapshots = snapshots();
    Map<Integer, Map.Entry<Long, byte[]>> pieces = pieces();
    long then = currentWatermark;
    isGivenUp = true;
    feed(next, new BlockDiscarder());
    isGivenUp = false;
    currentWatermark = then;
    Map<Integer, byte[]> states = states(snapshots);
    snapshots.forEach(StateSnapshot::release);
    close();
    analyzers = open(analyzers.size() % MAX + 1);
    for (Map.Entry<Integer, Map.Entry<Long, byte[]>> piece : pieces.entrySet()) {
      for (A analyzer : analyzers) {
        ((PartitionedState) analyzer)
            .restore(piece.getKey(), piece.getValue().getKey(), piece.getValue().getValue());
      }
    }
    for (Map.Entry<Integer, byte[]> state : states.entrySet()) {
      int subtask = KeyGroups.subtaskOf(state.getKey(), KeyGroups.DEFAULT_MAX, analyzers.size());
      byte[] bytes = state.getValue();
      ((KeyedState) analyzers.get(subtask))
          .restore(state.getKey(), new BlockInput(bytes, 0, bytes.length));
    }
  }

  private Map<Integer, Map.Entry<Long, byte[]>> pieces() throws Exception {
    Map<Integer, Map.Entry<Long, byte[]>> newest = new TreeMap<>();
    for (A analyzer : analyzers) {
      if (analyzer instanceof PartitionedState state) {
        state.snapshot(
            (key, version, bytes) ->
                newest.merge(
                    key,
                    Map.entry(version, bytes),
                    (one, other) -> other.getKey() > one.getKey() ? other : one));
      }
    }
    return newest;
  }

  private List<StateSnapshot> snapshots() throws Exception {
    List<StateSnapshot> snapshots = new ArrayList<>();
    for (A analyzer : analyzers) {
      snapshots.add(((KeyedState) analyzer).snapshot());
    }
    return snapshots;
  }

  private static Map<Integer, byte[]> states(List<StateSnapshot> snapshots) throws IOException {
    Map<Integer, byte[]> states = new TreeMap<>();
    for (int i = 0; i < snapshots.size(); i++) {
      KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, i, snapshots.size());
      for (int group = groups.first(); group <= groups.last(); group++) {
        if (!snapshots.get(i).isEmpty(group)) {
          BlockBuffer out = new BlockBuffer(64);
          snapshots.get(i).write(group, out);
          states.put(group, out.toBytes());
        }
      }
    }
    return states;
  }

  private void restorePieces() throws Exception {
    List<A> old = analyzers;
    analyzers = open(1);
    if (old.get(0) instanceof PartitionedState from
        && analyzers.get(0) instanceof PartitionedState to) {
      from.snapshot(to::restore);
    }
    close(old);
  }

  void checkEmpty() throws Exception {
    for (int i = 0; i < analyzers.size(); i++) {
      if (analyzers.get(i) instanceof KeyedState keyed) {
        StateSnapshot snapshot = keyed.snapshot();
        KeyGroups groups = KeyGroups.of(KeyGroups.DEFAULT_MAX, i, analyzers.size());
        for (int group = groups.first(); group <= groups.last(); group++) {
          if (!snapshot.isEmpty(group)) {
            throw new AssertionError(
                way + ": state left at the end, in key group " + group + " of subtask " + i);
          }
        }
      }
    }
  }

  @Override
  public void close() throws Exception {
    close(analyzers);
  }

  private static void close(List<? extends Step<?>> analyzers) throws Exception {
    for (Step<?> analyzer : analyzers) {
      analyzer.close();
    }
  }

  private final class BlockDiscarder implements Emitter<O> {
    @Override
    public void emit(O block) {}

    @Override
    public <B extends Block> void emit(Output<B> to, B block) {}
  }

  /** Prints blocks at once, since they may be reused afterwards. */
  private final class BlockCollector implements Emitter<O> {
    @Override
    public void emit(O block) {
      output.addAll(print.apply(block));
    }

    @Override
    public <B extends Block> void emit(Output<B> to, B block) {
      if (!analyzers.get(0).outputs().contains(to)) {
        throw new AssertionError("the analyzer does not declare its output " + to.name());
      }
      further.computeIfAbsent(to, none -> new ArrayList<>()).addAll(printFurther.print(to, block));
    }

    @Override
    public boolean offer(O block) {
      if (way.fullEveryOther() && offers++ % 2 == 0) {
        return false;
      }
      emit(block);
      return true;
    }
  }

  private final class TestContext implements AnalyzerContext {
    private final int index;
    private final int count;

    TestContext(int index, int count) {
      this.index = index;
      this.count = count;
    }

    @Override
    public int index() {
      return index;
    }

    @Override
    public int count() {
      return count;
    }

    @Override
    public KeyGroups keyGroups() {
      return KeyGroups.of(KeyGroups.DEFAULT_MAX, index, count);
    }

    @Override
    public long currentWatermark() {
      return currentWatermark;
    }

    @Override
    public Counter counter(String name) {
      return n -> {
        if (!isGivenUp) {
          counted.merge(name, n, Long::sum);
        }
      };
    }

    @Override
    public void gauge(String name, LongSupplier value) {}
  }
}
