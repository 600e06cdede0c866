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
 * Keeps the subtasks of a sink from appending before subtask 0 has rewound the store. Runs on the
 * thread of Flink's scheduler, once per job.
 *
 * <pre>
 *   subtask 0:  open                  ◄── REWIND 17 ──  coordinator
 *               rewind under 17        ── REWOUND 17 ──►
 *                                         coordinator   ── APPEND 17 ──►  subtasks 1 … n-1
 * </pre>
 *
 * A rewind deletes rows of all subtasks, so all of them must read again. If Flink restarts only a
 * part of the job (its regions are not connected), some would not: then the coordinator fails the
 * whole job, and all restart from the checkpoint.
 *
 * <p><b>Tokens.</b> A TaskManager that was frozen or partitioned may come back when the job has
 * long restarted elsewhere, with subtasks that still append. So each rewind has a greater fencing
 * token than all before, and the store rejects everything under another token than that of its last
 * rewind. Tokens are the microseconds of this machine's clock, or one more than the last if the
 * clock has not advanced: they grow also when another JobManager takes over without knowing the
 * last, unless its clock lags by more than the take-over took. Only progress depends on that, never
 * the rows: a store rejects a token that is too small, and the job restarts until the clock has
 * passed the last one.
 */
final class RewindCoordinator implements OperatorCoordinator {
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

  private final boolean[] admitted;

  /** Whether each subtask may append in its current attempt. */
  private final boolean[] appending;

  private final LongSupplier clockMicros;

  private long token;

  private boolean rewound;

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
      throw new IllegalArgumentException("unexpected event from a sink's subtask: " + event);
    }
    if (done.token() != token) {
      return; // from an earlier attempt, whose rewind the store has since rejected or undone
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
      failAll("subtask " + subtask + " was restarted without a rewind of the store");
    } else {
      admit(subtask);
    }
  }

  private void grantRewind() {
    for (int i = 1; i < ready.length; i++) {
      if (appending[i]) {
        failAll("subtask 0 would rewind the store while it is in use by subtask " + i);
        return;
      }
    }
    token = Math.max(token + 1, clockMicros.getAsLong());
    send(0, new RewindEvent.Rewind(token));
  }

  /** A lost event fails the task that waits for it; nothing more can be done. */
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
    context.failJob(new FlinkException(why + ": the whole job restarts from its checkpoint"));
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
    waiting.clear(); // drops earlier checkpoints, which are aborted
  }

  /**
   * Stores nothing, since the frontier is in the subtasks' state, but delays the checkpoint until
   * each subtask was sent its APPEND. Flink holds events back during a checkpoint, and a subtask
   * that waits for APPEND with a block would never reach the barrier after that block.
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
