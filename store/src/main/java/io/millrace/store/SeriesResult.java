package io.millrace.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The largest groups over time, in points that begin at whole multiples of the step since the
 * epoch.
 *
 * @param columns names of the columns grouped by
 * @param step length of a point; longer than asked for where what is kept of that time is coarser
 * @param completeUntil records of flows that ended before this are in the answer, but for those
 *     that came late; never after the end of the period
 * @param freshTo arrival of the newest row that counts
 * @param isEstimated whether anything was scaled by a sampling rate other than 1
 * @param period the time asked for
 * @param previous the time of the same length before, of the same groups, if it was asked for
 * @param reverse the same time in the other direction, of the same groups, if it was asked for
 */
public record SeriesResult(
    List<String> columns,
    Duration step,
    Instant completeUntil,
    Instant freshTo,
    boolean isEstimated,
    Period period,
    Optional<Period> previous,
    Optional<Period> reverse) {
  /** Copies the list. */
  public SeriesResult {
    columns = List.copyOf(columns);
  }

  /**
   * A stretch of time.
   *
   * @param from start of the first point
   * @param to end of the last one, exclusive; that point is shorter than the others where there is
   *     nothing newer
   * @param groups largest first, by the volume in the time asked for
   * @param others what no listed group has
   * @param total of everything
   * @param source what it was made of, for people
   */
  public record Period(
      Instant from, Instant to, List<Group> groups, Line others, Line total, String source) {
    /** Copies the list. */
    public Period {
      groups = List.copyOf(groups);
    }

    /** The most that the total of a line may lack: what was dropped of groups with it. */
    public double bound() {
      return groups.stream()
          .mapToDouble(group -> group.line().bound())
          .reduce(total.bound(), Math::max);
    }
  }

  /**
   * A group.
   *
   * @param key its values as a filter reads them, in the order of the columns; null for NULL
   * @param labels the same for people, as an AS with its name; null for NULL
   * @param label all of them as one text
   * @param line its values
   */
  public record Group(List<String> key, List<String> labels, String label, Line line) {}

  /**
   * Rates, or shares, over time.
   *
   * @param rates bits, packets or flows a second, or percent, one for each point; NaN where nothing
   *     is known: before the first row that is kept, and for shares where nothing passed
   * @param average over the time of which something is known; 0 if that is none
   * @param maximum of the rates
   * @param p95 the largest rate that is left when the largest twentieth of the points (rounded
   *     down) is left out
   * @param errors half the width of an interval around each rate that holds the true one in 95 of
   *     100 cases; empty where nothing was estimated from a sample
   * @param total bits, packets or flows; bits of shares
   * @param share of the total of everything in the same stretch; 0 where that is 0
   * @param bound the most that the total lacks
   * @param error half the width of an interval around the total that holds the true one in 95 of
   *     100 cases; 0 where nothing was estimated from a sample
   */
  @SuppressWarnings("ArrayRecordComponent") // compared nowhere
  public record Line(
      double[] rates,
      double average,
      double maximum,
      double p95,
      double[] errors,
      double total,
      double share,
      double bound,
      double error) {}
}
