package io.millrace.traffic;

/** When a datagram is due, by the samples before it or by its own time. */
@FunctionalInterface
public interface Pace {
  /**
   * When the datagram is to be sent, nanoseconds behind the start of sending; a moment that has
   * passed means at once.
   *
   * @param samplesBefore flow samples in all datagrams before it
   */
  long dueNanos(ExportDatagram datagram, long samplesBefore);

  /** As fast as the sockets take them. */
  static Pace flatOut() {
    return (datagram, before) -> 0;
  }

  /** So many flow samples a second, evenly. */
  static Pace samplesPerSecond(double rate) {
    if (!(rate > 0)) {
      throw new IllegalArgumentException("rate: " + rate + " is not allowed: above 0");
    }
    double nanosPerSample = 1e9 / rate;
    return (datagram, before) -> (long) (before * nanosPerSample);
  }

  /**
   * As the model's time goes, with its daily rhythm.
   *
   * @param startMicros model time at which sending starts, microseconds since the epoch
   */
  static Pace modelTime(long startMicros) {
    return (datagram, before) -> (datagram.timeMicros - startMicros) * 1000;
  }
}
