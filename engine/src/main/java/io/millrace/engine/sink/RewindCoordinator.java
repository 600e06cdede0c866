package io.millrace.engine.sink;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;
import org.apache.flink.util.FlinkException;

/**
 * Lets no subtask of a sink append before subtask 0 has rewound the store. Runs on the thread of
 * Flink's scheduler, once a job, wherever the subtasks run.
 *
 * <pre>
 *   subtask 0:  open                  ◄── REWIND 17 ──  coordinator
 *               rewind under 17        ── REWOUND 17 ──►
 *                                         coordinator   ── APPEND 17 ──►  subtasks 1 … n-1
 * </pre>
 *
 * A rewind takes rows of all subtasks away, so all of them must read again. Where Flink restarts
 * only a part of the job (its regions are not connected), some would not: then the coordinator
 * fails the whole job, and all begin from the checkpoint.
 *
 * <p><b>Tokens.</b> A TaskManager that was frozen or cut off may come back when the job has long
 * gone on elsewhere, with subtasks that still append. So each rewind has a token that is greater
 * than all before, and the store refuses everything under another token than that of its last
 * rewind. Tokens are the microseconds of this machine's clock, or one more than the last where the
 * clock stands still or goes back: they grow also when another JobManager takes over and knows
 * nothing of the last, provided that its clock is not behind by more than the take-over took. Only
 * progress hangs on that, never the rows: a store that is offered too small a token refuses it, and
 * the job starts again until the clock has passed the last one.
 */
final class RewindCoordinator implements OperatorCoordinator {
  /** Makes the coordinator of one sink. */
  record Provider(OperatorID operator) implements OperatorCoordinator.Provider {
    private static final long serialVersionUID = 1L;

    @Override
    public OperatorID getOperatorId() {
      return operator;
    }

    @Override
    public OperatorCoordinator create(Context context) {
      return new RewindCoordinator(context, RewindCoordinator::clockMicros);
    }
  }

  private final Context context;
  private final SubtaskGateway[] ready;

  /** Which subtasks may append since the last rewind, including those that have failed since. */
  private final boolean[] admitted;

  /** Which subtasks may append in the life that they have now. */
  private final boolean[] appending;

  private final LongSupplier clockMicros;

  /** Of the rewind that was granted last. */
  private long token;

  /** Whether it is done. */
  private boolean rewound;

  /** Checkpoints that begin when all may append. */
  private final List<CompletableFuture<byte[]>> waiting = new ArrayList<>();

  RewindCoordinator(Context context, LongSupplier clockMicros) {
    this.context = context;
    this.clockMicros = clockMicros;
    this.ready = new SubtaskGateway[context.currentParallelism()];
    this.admitted = new boolean[ready.length];
    this.appending = new boolean[ready.length];
  }

  private static long clockMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  @Override
  public void handleEventFromOperator(int subtask, int attempt, OperatorEvent event) {
    if (!(event instanceof RewindEvent.Completion done)) {
      throw new IllegalArgumentException("a sink's subtask sent " + event);
    }
    if (done.token() != token) {
      return; // of an earlier life, whose rewind the store has refused or undone since
    }
    Arrays.fill(admitted, false);
    rewound = true;
    for (int i = 1; i < ready.length; i++) {
      admit(i);
    }
    beginCheckpoints();
  }

  @Override
  public void executionAttemptReady(int subtask, int attempt, SubtaskGateway gateway) {
    ready[subtask] = gateway;
    if (subtask == 0) {
      grantRewind();
    } else if (rewound && admitted[subtask]) {
      failAll("subtask " + subtask + " was restarted and the store was not rewound");
    } else {
      admit(subtask);
    }
  }

  private void grantRewind() {
    for (int i = 1; i < ready.length; i++) {
      if (appending[i]) {
        failAll("subtask 0 would rewind the store under subtask " + i);
        return;
      }
    }
    token = Math.max(token + 1, clockMicros.getAsLong());
    send(0, new RewindEvent.Rewind(token));
  }

  /** A lost event fails the task that waits for it, which is all that can be done. */
  private void send(int subtask, RewindEvent event) {
    var unused = ready[subtask].sendEvent(event);
  }

  private void admit(int subtask) {
    if (rewound && ready[subtask] != null) {
      admitted[subtask] = true;
      appending[subtask] = true;
      send(subtask, new RewindEvent.Append(token));
    }
    beginCheckpoints();
  }

  private void beginCheckpoints() {
    if (allMayAppend()) {
      waiting.forEach(checkpoint -> checkpoint.complete(new byte[0]));
      waiting.clear();
    }
  }

  private boolean allMayAppend() {
    for (int i = 1; i < ready.length; i++) {
      if (ready[i] == null || !admitted[i]) {
        return false;
      }
    }
    return rewound;
  }

  private void failAll(String why) {
    rewound = false;
    context.failJob(new FlinkException(why + ": the whole job starts again from its checkpoint"));
  }

  @Override
  public void executionAttemptFailed(int subtask, int attempt, Throwable reason) {
    forget(subtask);
  }

  @Override
  public void subtaskReset(int subtask, long checkpointId) {
    forget(subtask);
  }

  private void forget(int subtask) {
    ready[subtask] = null;
    appending[subtask] = false;
    if (subtask == 0) {
      rewound = false;
    }
  }

  @Override
  public void resetToCheckpoint(long checkpointId, byte[] nothing) {
    for (int i = 0; i < ready.length; i++) {
      forget(i);
    }
    Arrays.fill(admitted, false);
    waiting.clear(); // checkpoints of before, which are given up
  }

  /**
   * Keeps nothing: the frontier stands in the subtasks' state. But while a checkpoint is under way
   * Flink holds events back, so it must not begin before each subtask was sent its APPEND: a
   * subtask that waits for it with a block in its hand never comes to the barrier behind.
   */
  @Override
  public void checkpointCoordinator(long checkpointId, CompletableFuture<byte[]> result) {
    waiting.add(result);
    beginCheckpoints();
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {}

  @Override
  public void start() {}

  @Override
  public void close() {}
}
