package io.millrace.engine.checker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * All possible final tables of runs without failures: every order in which a subtask can receive
 * the inputs of two sources, each source in order.
 *
 * <p>Searches the reachable states input by input; orders that lead to the same state are merged.
 * Independent of analyzers, blocks and checkpoints.
 */
final class Outcomes {
  /** The sum of a key so far, and the position of its first input. */
  private record Sum(long sum, int partition, long offset) {}

  private static final Sum NOTHING = new Sum(0, 0, 0);

  /** Progress of a subtask: inputs read from each source, its sums by key, its rows. */
  private record State(int first, int second, List<Sum> sums, List<Row> rows) {}

  private final int parallelism;
  private final boolean placeOfFirst;
  private final List<Set<List<Row>>> bySubtask = new ArrayList<>();

  /**
   * Creates the set; {@code placeOfFirst} gives a row the position of its first input, not the
   * last.
   */
  Outcomes(Scenario scenario, int parallelism, boolean placeOfFirst) {
    this.parallelism = parallelism;
    this.placeOfFirst = placeOfFirst;
    for (int subtask = 0; subtask < parallelism; subtask++) {
      bySubtask.add(tables(scenario, subtask));
    }
  }

  private Set<List<Row>> tables(Scenario scenario, int subtask) {
    List<Integer> first = offsets(scenario, 0, subtask);
    List<Integer> second = offsets(scenario, 1, subtask);
    List<Sum> sums = Collections.nCopies(Scenario.KEYS, NOTHING);
    Set<State> states = Set.of(new State(0, 0, sums, List.of()));
    for (int taken = 0; taken < first.size() + second.size(); taken++) {
      Set<State> next = new HashSet<>();
      for (State state : states) {
        if (state.first < first.size()) {
          next.add(take(scenario, state, 0, first.get(state.first)));
        }
        if (state.second < second.size()) {
          next.add(take(scenario, state, 1, second.get(state.second)));
        }
      }
      states = next;
    }
    Set<List<Row>> tables = new HashSet<>();
    states.forEach(state -> tables.add(state.rows));
    return tables;
  }

  private List<Integer> offsets(Scenario scenario, int partition, int subtask) {
    List<Integer> offsets = new ArrayList<>();
    List<Scenario.Input> inputs = scenario.partitions().get(partition);
    for (int offset = 0; offset < inputs.size(); offset++) {
      if (Scenario.subtask(inputs.get(offset).key(), parallelism) == subtask) {
        offsets.add(offset);
      }
    }
    return offsets;
  }

  private State take(Scenario scenario, State state, int partition, int offset) {
    Scenario.Input input = scenario.partitions().get(partition).get(offset);
    Sum before = state.sums.get(input.key());
    long sum = before.sum + input.number();
    Sum after =
        before.sum == 0
            ? new Sum(sum, partition, offset)
            : new Sum(sum, before.partition, before.offset);
    List<Row> rows = state.rows;
    if (sum > Scenario.THRESHOLD) {
      rows = new ArrayList<>(rows);
      rows.add(
          placeOfFirst
              ? new Row(after.partition, after.offset, input.key(), sum)
              : new Row(partition, offset, input.key(), sum));
      rows.sort(null);
      after = NOTHING;
    }
    List<Sum> sums = new ArrayList<>(state.sums);
    sums.set(input.key(), after);
    return new State(
        state.first + (partition == 0 ? 1 : 0),
        state.second + (partition == 1 ? 1 : 0),
        sums,
        rows);
  }

  /** Whether a run without a failure can end with exactly these rows. */
  boolean contains(List<Row> table) {
    for (int subtask = 0; subtask < parallelism; subtask++) {
      int mine = subtask;
      List<Row> rows =
          table.stream()
              .filter(row -> Scenario.subtask(row.key(), parallelism) == mine)
              .sorted()
              .toList();
      if (!bySubtask.get(subtask).contains(rows)) {
        return false;
      }
    }
    return true;
  }

  /** Number of different tables. */
  int count() {
    return bySubtask.stream().mapToInt(Set::size).reduce(1, (one, other) -> one * other);
  }

  @Override
  public String toString() {
    return bySubtask.toString();
  }
}
