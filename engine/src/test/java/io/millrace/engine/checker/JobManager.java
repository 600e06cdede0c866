package io.millrace.engine.checker;

import io.millrace.engine.sink.BareSinks;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.messages.Acknowledge;
import org.apache.flink.runtime.operators.coordination.MockOperatorCoordinatorContext;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/**
 * Starts checkpoints, completes them when all parts have arrived, and hosts the sink's real
 * coordinator. Messages of former attempts are dropped, as Flink does.
 *
 * <p>During a checkpoint, events for subtasks are held back, as Flink does.
 */
final class JobManager implements Attempt.Messages {
  private static final int MAX_CHECKPOINTS_OF_AN_ATTEMPT = 3;
  private static final int ONE_IN_GIVEN_UP = 8;

  private final int sources;
  private final int parallelism;
  private final Breakage breakage;
  private final Random random;
  private final MockOperatorCoordinatorContext context;
  private final OperatorCoordinator coordinator;

  /** Survives a failure of the job manager. */
  private Checkpoint newest;

  private Attempt attempt;
  private Checkpoint underWay;
  private boolean barriersSent;
  private boolean doomed;
  private int begunInThisAttempt;
  private long lastId;

  /** Messages of the sink's subtasks, each in order. */
  private final List<Deque<Step>> heard = new ArrayList<>();

  private final List<Runnable> heldBack = new ArrayList<>();

  JobManager(
      int sources,
      int parallelism,
      Checkpoint newest,
      long lastId,
      Breakage breakage,
      Random random)
      throws Exception {
    this.sources = sources;
    this.parallelism = parallelism;
    this.newest = newest;
    this.lastId = lastId;
    this.breakage = breakage;
    this.random = random;
    context = new MockOperatorCoordinatorContext(new OperatorID(), parallelism);
    // Attempts are numbered in order, like the times of a clock.
    coordinator = BareSinks.coordinator(context, () -> attempt.token());
    coordinator.start();
  }

  Checkpoint newest() {
    return newest;
  }

  long lastId() {
    return lastId;
  }

  int parallelism() {
    return parallelism;
  }

  /** Whether the sink's coordinator has seen subtasks restart without the others. */
  boolean hasFailedTheJob() {
    return context.isJobFailed();
  }

  /** Drops the failed attempt: as a single region of tasks, or as a whole. */
  void reset(boolean asARegion) throws Exception {
    if (asARegion) {
      for (int i = 0; i < parallelism; i++) {
        coordinator.executionAttemptFailed(i, 0, null);
      }
      for (int i = 0; i < parallelism; i++) {
        coordinator.subtaskReset(i, newest.id());
      }
    } else {
      coordinator.resetToCheckpoint(newest.id(), new byte[0]);
    }
  }

  /** Runs the tasks of another attempt. */
  void run(Attempt next) {
    attempt = next;
    underWay = null;
    begunInThisAttempt = 0;
    heard.clear();
    heldBack.clear();
    for (int i = 0; i < parallelism; i++) {
      int subtask = i;
      heard.add(new ArrayDeque<>());
      Gateway gateway = new Gateway(next, subtask);
      hear(
          subtask,
          "that sink " + subtask + " is ready",
          () -> {
            coordinator.executionAttemptReady(subtask, 0, gateway);
            if (breakage == Breakage.REWIND_AFTER_APPEND && subtask > 0) {
              gateway.send(BareSinks.append(next.token()));
            }
          });
    }
  }

  boolean isIdle() {
    return underWay == null && heard.stream().allMatch(Deque::isEmpty);
  }

  void steps(List<Step> out) {
    heard.stream().filter(queue -> !queue.isEmpty()).forEach(queue -> out.add(first(queue)));
    if (underWay == null) {
      if (begunInThisAttempt < MAX_CHECKPOINTS_OF_AN_ATTEMPT) {
        out.add(new Step("job manager begins checkpoint " + (lastId + 1), true, this::begin));
      }
    } else if (barriersSent && doomed) {
      out.add(new Step("job manager gives up checkpoint " + underWay.id(), this::end));
    } else if (barriersSent && underWay.isWhole(sources)) {
      out.add(new Step("job manager completes checkpoint " + underWay.id(), this::complete));
    }
  }

  private static Step first(Deque<Step> queue) {
    return new Step(
        queue.element().name(),
        () -> {
          queue.remove().action().run();
        });
  }

  private void hear(int subtask, String what, Step.Action action) {
    heard.get(subtask).add(new Step("job manager hears " + what, action));
  }

  private void begin() throws Exception {
    underWay = Checkpoint.begun(++lastId, parallelism);
    begunInThisAttempt++;
    barriersSent = false;
    doomed = random.nextInt(ONE_IN_GIVEN_UP) == 0;
    CompletableFuture<byte[]> mayBegin = new CompletableFuture<>();
    long id = lastId;
    var unused =
        mayBegin.thenRun(
            () -> {
              if (underWay != null && underWay.id() == id) {
                barriersSent = true;
                attempt.sources().forEach(source -> source.trigger(id));
              }
            });
    coordinator.checkpointCoordinator(id, mayBegin);
  }

  private void complete() {
    newest = underWay;
    attempt.sinks().forEach(sink -> sink.sendCompleted(newest.id()));
    end();
  }

  private void end() {
    underWay = null;
    heldBack.forEach(Runnable::run);
    heldBack.clear();
  }

  private boolean concerns(Attempt of, long checkpoint) {
    return of == attempt && underWay != null && underWay.id() == checkpoint;
  }

  @Override
  public void offset(Attempt of, long checkpoint, int source, long offset) {
    if (concerns(of, checkpoint)) {
      underWay.offsets().put(source, offset);
    }
  }

  @Override
  public void sumState(Attempt of, long checkpoint, int subtask, OperatorSubtaskState state) {
    if (concerns(of, checkpoint)) {
      underWay.sums().put(subtask, state);
    }
  }

  @Override
  public void sinkState(Attempt of, long checkpoint, int subtask, OperatorSubtaskState state) {
    if (concerns(of, checkpoint)) {
      underWay.sinks().put(subtask, state);
    }
  }

  @Override
  public void sinkEvent(Attempt of, int subtask, OperatorEvent event) {
    if (of == attempt) {
      hear(
          subtask,
          event + " of sink " + subtask,
          () -> coordinator.handleEventFromOperator(subtask, 0, event));
    }
  }

  /** Delivers events of the coordinator to a subtask. */
  private final class Gateway implements OperatorCoordinator.SubtaskGateway {
    private final Attempt to;
    private final int subtask;

    Gateway(Attempt to, int subtask) {
      this.to = to;
      this.subtask = subtask;
    }

    @Override
    public CompletableFuture<Acknowledge> sendEvent(OperatorEvent event) {
      send(event);
      return CompletableFuture.completedFuture(Acknowledge.get());
    }

    void send(OperatorEvent event) {
      SinkTask receiver = to.sinks().get(subtask);
      if (underWay != null && barriersSent) {
        heldBack.add(() -> receiver.send(event));
      } else {
        receiver.send(event);
      }
    }

    @Override
    public ExecutionAttemptID getExecution() {
      throw new UnsupportedOperationException("distinguished by attempt");
    }

    @Override
    public int getSubtask() {
      return subtask;
    }
  }
}
