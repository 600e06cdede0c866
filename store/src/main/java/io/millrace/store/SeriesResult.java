package io.millrace.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The largest groups over time, in points that start at multiples of the step since the epoch.
 *
 * @param columns names of the group-by columns
 * @param step length of a point; longer than requested if the data kept of that time is coarser
 * @param completeUntil records of flows that ended before this are included, except late ones;
 *     never after the end of the period
 * @param freshTo arrival of the newest included row
 * @param isEstimated whether anything was scaled by a sampling rate other than 1
 * @param period the requested time range
 * @param previous the same groups in the preceding time range of the same length, if requested
 * @param reverse the same groups and time range in the other direction, if requested
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
   * A time range.
   *
   * @param from start of the first point
   * @param to end of the last point, exclusive; that point is shorter than the others if there is
   *     no newer data
   * @param groups largest first, by the volume in the requested time
   * @param others sum of all groups not listed
   * @param total sum of everything
   * @param source data source, for people
   */
  public record Period(
      Instant from, Instant to, List<Group> groups, Line others, Line total, String source) {
    /** Copies the list. */
    public Period {
      groups = List.copyOf(groups);
    }

    /** Upper bound of the volume missing in the total, from dropped groups. */
    public double bound() {
      return groups.stream()
          .mapToDouble(group -> group.line().bound())
          .reduce(total.bound(), Math::max);
    }
  }

  /**
   * A group.
   *
   * @param key values as in a filter, in the order of the columns; null for NULL
   * @param labels values for users, such as an AS with its name; null for NULL
   * @param label all labels as one text
   * @param line its rates
   */
  public record Group(List<String> key, List<String> labels, String label, Line line) {}

  /**
   * Rates, or shares, over time.
   *
   * @param rates bits, packets or flows per second, or percent, one for each point; NaN if unknown:
   *     before the first stored row, and for shares of nothing
   * @param average average over the known time; 0 if there is none
   * @param maximum largest of the rates
   * @param p95 the largest rate after dropping the largest 5% of the points (rounded down)
   * @param errors half-widths of the 95% confidence intervals of the rates; empty without sampling
   * @param total bits, packets or flows; bits for shares
   * @param share share of the total of everything in the same time; 0 if that is 0
   * @param bound upper bound of the volume missing in the total
   * @param error half-width of the 95% confidence interval of the total; 0 without sampling
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
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
