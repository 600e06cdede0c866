package io.millrace.pulse;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Units of durations in configurations, options and queries. */
public final class TimeUnits {
  /** Nanoseconds by name of the unit, largest first; a year has 365 days. */
  public static final Map<String, Long> NANOS;

  static {
    Map<String, Long> nanos = new LinkedHashMap<>();
    nanos.put("y", 31_536_000_000_000_000L);
    nanos.put("w", 604_800_000_000_000L);
    nanos.put("d", 86_400_000_000_000L);
    nanos.put("h", 3_600_000_000_000L);
    nanos.put("m", 60_000_000_000L);
    nanos.put("s", 1_000_000_000L);
    nanos.put("ms", 1_000_000L);
    nanos.put("us", 1_000L);
    nanos.put("ns", 1L);
    NANOS = Collections.unmodifiableMap(nanos);
  }

  private TimeUnits() {}
}
