package io.millrace.engine.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.wire.block.Frontier;
import io.millrace.wire.block.RawBatch;
import io.millrace.wire.sink.BlockSink;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.api.common.typeutils.base.VoidSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.function.ThrowingRunnable;
import org.junit.jupiter.api.Test;

/** Slow commits of a sink. */
class ConcurrentCommitTest {
  private static final long TOKEN = 5;

  private final SlowSink sink = new SlowSink();
  private final Mailbox mailbox = new Mailbox();

  private OneInputStreamOperatorTestHarness<RawBatch, Void> opened() throws Exception {
    RewindableSink<RawBatch, Frontier> rewindable =
        RewindableSink.of(
                subtask -> sink,
                BareSinks.coverage(
                    LogPlace.of(RawBatch::partition, RawBatch::offset),
                    new Frontier(Map.of(0, 100L))))
            .flushingForCheckpointsOnly();
    OneInputStreamOperatorTestHarness<RawBatch, Void> harness =
        new OneInputStreamOperatorTestHarness<>(
            BareSinks.factory(rewindable, mailbox, event -> {}), 1, 1, 0);
    harness.setup(VoidSerializer.INSTANCE);
    harness.open();
    BareSinks.deliver(BareSinks.append(TOKEN), harness.getOneInputOperator());
    return harness;
  }

  private static void append(OneInputStreamOperatorTestHarness<RawBatch, Void> to, long offset)
      throws Exception {
    to.processElement(
        new StreamRecord<>(RawBatch.wrap(new byte[RawBatch.HEADER_LENGTH], 0, offset)));
  }

  @Test
  void rowsAreAppendedAndSealedMeanwhileInOrder() throws Exception {
    try (OneInputStreamOperatorTestHarness<RawBatch, Void> harness = opened()) {
      append(harness, 0);
      harness.snapshot(1, 0);
      harness.notifyOfCompletedCheckpoint(1);
      append(harness, 1);
      harness.snapshot(2, 0);
      harness.notifyOfCompletedCheckpoint(2);
      assertThat(sink.appended).containsExactly(0L, 1L);
      assertThat(sink.committed).isEmpty();
      sink.mayCommit.countDown();
    }
    assertThat(sink.committed)
        .containsExactly("1 up to 1", "2 up to 2", "closed"); // after the commits
  }

  @Test
  void aFailureFailsTheSubtask() throws Exception {
    sink.failure = new IllegalStateException("no room");
    OneInputStreamOperatorTestHarness<RawBatch, Void> harness = opened();
    append(harness, 0);
    harness.snapshot(1, 0);
    harness.notifyOfCompletedCheckpoint(1);
    sink.mayCommit.countDown();
    assertThatThrownBy(() -> mailbox.take().run()).isSameAs(sink.failure);
    assertThatThrownBy(harness::close).hasRootCause(sink.failure);
    assertThat(sink.committed).containsExactly("closed");
  }

  /** Commits as soon as it is allowed to. */
  private static final class SlowSink implements BlockSink<RawBatch, Frontier> {
    private final CountDownLatch mayCommit = new CountDownLatch(1);
    private final List<Long> appended = new ArrayList<>();
    private final List<String> committed = new ArrayList<>(); // one thread, then the test's
    private RuntimeException failure;

    @Override
    public void rewind(long token, Frontier covered) {}

    @Override
    public void begin(long token, long checkpoint) {}

    @Override
    public void append(RawBatch block) {
      appended.add(block.offset());
    }

    @Override
    public void flush() {}

    @Override
    public boolean isCommitConcurrent() {
      return true;
    }

    @Override
    public void commit(long checkpoint, Frontier covered) {
      try {
        assertThat(mayCommit.await(1, TimeUnit.MINUTES)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      if (failure != null) {
        throw failure;
      }
      committed.add(checkpoint + " up to " + covered.next(0));
    }

    @Override
    public void close() {
      committed.add("closed");
    }
  }

  private static final class Mailbox implements MailboxExecutor {
    private final BlockingQueue<ThrowingRunnable<? extends Exception>> mails =
        new ArrayBlockingQueue<>(10);

    ThrowingRunnable<? extends Exception> take() throws InterruptedException {
      return mails.poll(1, TimeUnit.MINUTES);
    }

    @Override
    public void execute(
        MailOptions options,
        ThrowingRunnable<? extends Exception> command,
        String description,
        Object... arguments) {
      assertThat(mails.add(command)).as(Arrays.toString(arguments)).isTrue();
    }

    @Override
    public void yield() {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean tryYield() {
      return false;
    }

    @Override
    public boolean shouldInterrupt() {
      return false;
    }
  }
}
