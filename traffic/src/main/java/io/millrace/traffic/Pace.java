package io.millrace.traffic;

/** Schedule of datagrams, by the number of preceding samples or by time. */
@FunctionalInterface
public interface Pace {
  /**
   * Time at which the datagram is due, nanoseconds after the start of sending; a past time means at
   * once.
   *
   * @param samplesBefore flow samples in all datagrams before it
   */
  long dueNanos(ExportDatagram datagram, long samplesBefore);

  /** As fast as the sockets accept them. */
  static Pace flatOut() {
    return (datagram, before) -> 0;
  }

  /** A constant rate of flow samples per second. */
  static Pace samplesPerSecond(double rate) {
    if (!(rate > 0)) {
      throw new IllegalArgumentException("rate: " + rate + ", expected above 0");
    }
    double nanosPerSample = 1e9 / rate;
    return (datagram, before) -> (long) (before * nanosPerSample);
  }

  /**
   * Model time, with the daily rhythm.
   *
   * @param startMicros model time of the start of sending, microseconds since the epoch
   */
  static Pace modelTime(long startMicros) {
    return (datagram, before) -> (datagram.timeMicros - startMicros) * 1000;
  }
}
