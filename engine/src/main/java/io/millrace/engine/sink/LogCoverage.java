package io.millrace.engine.sink;

import io.millrace.engine.log.LogOffsets;
import io.millrace.wire.block.Block;
import io.millrace.wire.block.Frontier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coverage by position, for rows that each come from one value of the log: a checkpoint covers the
 * rows before its frontier.
 *
 * <p><b>Why the frontier is exact.</b> Barriers are aligned: when a subtask takes its snapshot, it
 * has appended all its blocks from values before the source's offsets, and none from later ones. So
 * no row lies between the largest appended offset of a partition, over all subtasks, and the
 * source's position. Every subtask stores the offsets that it has seen. Each restores the union of
 * all subtasks, at any parallelism; that is the frontier.
 *
 * @param place returns the position of a block
 * @param bootstrapServers of the log that the job reads
 * @param topic that the job reads: rows whose values are no longer retained are not rewound, since
 *     they cannot be read again
 * @param start frontier without a checkpoint; where the source starts
 * @param epoch in which the job reads the topic; rows of earlier epochs cannot be read again
 */
public record LogCoverage<B extends Block>(
    LogPlace<B> place, String bootstrapServers, String topic, Frontier start, int epoch)
    implements Coverage<B, Frontier> {
  private static final Logger LOG = LoggerFactory.getLogger(RewindableSink.class);

  /** Coverage for a job that, without a checkpoint, reads the whole log. */
  public static <B extends Block> LogCoverage<B> of(
      LogPlace<B> place, String bootstrapServers, String topic) {
    return new LogCoverage<>(place, bootstrapServers, topic, Frontier.EMPTY, 0);
  }

  /** This coverage for a job that, without a checkpoint, starts at {@code start} of an epoch. */
  public LogCoverage<B> startingAt(Frontier start, int epoch) {
    return new LogCoverage<>(place, bootstrapServers, topic, start, epoch);
  }

  @Override
  public Progress<B, Frontier> begin(List<byte[]> parts) {
    return begin(parts, this::horizon);
  }

  Progress<B, Frontier> begin(List<byte[]> parts, Supplier<LogHorizon> log) {
    // A checkpoint takes precedence over {@code start}: the source resumes from it, even if the
    // store was at a newer checkpoint that is unreadable.
    Frontier covered = parts.isEmpty() ? start : Frontier.EMPTY;
    for (byte[] part : parts) {
      covered = covered.union(FrontierState.decode(part));
    }
    return new CoverageProgress(covered, log);
  }

  private LogHorizon horizon() {
    try (LogOffsets offsets = new LogOffsets(bootstrapServers, topic)) {
      return new LogHorizon(offsets.begin().inEpoch(epoch), offsets.end().inEpoch(epoch), epoch);
    }
  }

  private final class CoverageProgress implements Progress<B, Frontier> {
    private final Map<Integer, Long> next;
    private final Supplier<LogHorizon> log;

    CoverageProgress(Frontier covered, Supplier<LogHorizon> log) {
      next = new HashMap<>(covered.next());
      this.log = log;
    }

    @Override
    public void appended(B block) {
      next.merge(place.partition(block), place.offset(block) + 1, Math::max);
    }

    @Override
    public Frontier rewind() {
      Frontier wanted = new Frontier(next);
      LogHorizon horizon = log.get();
      horizon.holes(wanted).forEach(hole -> LOG.warn("{}", hole));
      Frontier frontier = horizon.rewindable(wanted);
      next.putAll(frontier.next());
      return frontier;
    }

    @Override
    public Frontier at(long checkpointId) {
      return new Frontier(next);
    }

    @Override
    public byte[] encode(Frontier covered) {
      return FrontierState.encode(covered);
    }
  }
}
