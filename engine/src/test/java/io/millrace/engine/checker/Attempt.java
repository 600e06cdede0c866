package io.millrace.engine.checker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * The tasks of one start of the job, wired by channels:
 *
 * <pre>
 *   source 0 ──┬──► sum 0 ──┬──► sink 0 ──┐
 *              ╳            ╳             ├──► table
 *   source 1 ──┴──► sum 1 ──┴──► sink 1 ──┘
 * </pre>
 *
 * Tasks step independently. An attempt that its job manager has abandoned may continue: it is then
 * a zombie, whose messages are dropped.
 */
final class Attempt {
  /** Messages of tasks to the job manager. */
  interface Messages {
    void offset(Attempt attempt, long checkpoint, int source, long offset);

    void sumState(Attempt attempt, long checkpoint, int subtask, OperatorSubtaskState state);

    void sinkState(Attempt attempt, long checkpoint, int subtask, OperatorSubtaskState state);

    void sinkEvent(Attempt attempt, int subtask, OperatorEvent event);
  }

  private final long token;
  private final int parallelism;
  private final List<SourceTask> sources = new ArrayList<>();
  private final List<SumTask> sums = new ArrayList<>();
  private final List<SinkTask> sinks = new ArrayList<>();
  private final List<Task> tasks = new ArrayList<>();

  Attempt(
      long token,
      int parallelism,
      Scenario scenario,
      Checkpoint from,
      Table table,
      Breakage breakage,
      Messages messages)
      throws Exception {
    this.token = token;
    this.parallelism = parallelism;
    for (int i = 0; i < parallelism; i++) {
      sinks.add(new SinkTask(this, i, scenario, from, table, breakage, messages));
    }
    for (int i = 0; i < parallelism; i++) {
      sums.add(new SumTask(this, i, scenario.partitions().size(), from, breakage, messages));
    }
    for (int i = 0; i < scenario.partitions().size(); i++) {
      sources.add(new SourceTask(this, i, scenario, from, breakage, messages));
    }
    tasks.addAll(sources);
    tasks.addAll(sums);
    tasks.addAll(sinks);
  }

  long token() {
    return token;
  }

  int parallelism() {
    return parallelism;
  }

  List<SourceTask> sources() {
    return sources;
  }

  List<SumTask> sums() {
    return sums;
  }

  List<SinkTask> sinks() {
    return sinks;
  }

  /** Possible next steps of this attempt. */
  void steps(List<Step> out) {
    for (Task task : tasks) {
      if (!task.dead) {
        task.steps(out);
      }
    }
  }

  boolean someTaskIsDead() {
    return tasks.stream().anyMatch(task -> task.dead);
  }

  /** Whether all input has reached the sinks. */
  boolean isIdle() {
    return tasks.stream().allMatch(task -> !task.dead && task.isIdle());
  }

  /** Ends the tasks like Flink does when it can reach them. */
  void cancel() {
    tasks.forEach(task -> task.dead = true);
  }

  /** A source of steps. */
  abstract static class Task {
    final Attempt attempt;
    final int index;
    final String name;

    /** A dead task takes no steps; messages that it has sent are still in transit. */
    boolean dead;

    Task(Attempt attempt, String kind, int index) {
      this.attempt = attempt;
      this.index = index;
      this.name = kind + " " + index + " of attempt " + attempt.token;
    }

    abstract void steps(List<Step> out);

    abstract boolean isIdle();

    final Step step(String what, Step.Action action) {
      return new Step(name + " " + what, action);
    }
  }

  /** A source: its state is an offset. */
  static final class SourceTask extends Task {
    private final Scenario scenario;
    private final Breakage breakage;
    private final Messages messages;
    private final Deque<Long> triggers = new ArrayDeque<>();
    private long next;
    private long offsetOwedTo;

    SourceTask(
        Attempt attempt,
        int index,
        Scenario scenario,
        Checkpoint from,
        Breakage breakage,
        Messages messages) {
      super(attempt, "source", index);
      this.scenario = scenario;
      this.breakage = breakage;
      this.messages = messages;
      this.next = from.offset(index);
    }

    void trigger(long checkpoint) {
      triggers.add(checkpoint);
    }

    @Override
    boolean isIdle() {
      return atEnd() && triggers.isEmpty() && offsetOwedTo == 0;
    }

    private boolean atEnd() {
      return next == scenario.partitions().get(index).size();
    }

    @Override
    void steps(List<Step> out) {
      if (!triggers.isEmpty()) {
        out.add(step("sends the barrier of checkpoint " + triggers.peek(), this::barrier));
      }
      if (!atEnd()) {
        Scenario.Input input = scenario.partitions().get(index).get((int) next);
        SumTask receiver = attempt.sums.get(Scenario.subtask(input.key(), attempt.parallelism));
        if (receiver.input().hasRoom(index)) {
          out.add(new Step(name + " sends offset " + next, true, () -> send(input, receiver)));
        }
      }
    }

    private void send(Scenario.Input input, SumTask receiver) {
      receiver.input().put(index, Numbers.block(input.key(), input.number(), index, next));
      next++;
      if (offsetOwedTo != 0) {
        messages.offset(attempt, offsetOwedTo, index, next);
        offsetOwedTo = 0;
      }
    }

    private void barrier() {
      long checkpoint = triggers.remove();
      attempt.sums.forEach(sum -> sum.input().putBarrier(index, checkpoint));
      if (breakage == Breakage.OFFSET_AFTER_NEXT_ELEMENT && !atEnd()) {
        offsetOwedTo = checkpoint;
      } else {
        messages.offset(attempt, checkpoint, index, next);
      }
    }
  }
}
