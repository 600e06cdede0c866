package io.millrace.traffic.model;

/**
 * An attack that the exchange sees in its samples, from one model time to another.
 *
 * @param kind what it looks like
 * @param startMicros when it begins, microseconds behind the model's start
 * @param durationMicros how long it lasts, microseconds
 * @param share part of the samples that belong to it while it lasts, 0 to 1, of those that no
 *     attack in front of it in the list has taken
 */
public record Attack(Kind kind, long startMicros, long durationMicros, double share) {
  /** What an attack looks like. */
  public enum Kind {
    /** Large UDP packets from very many sources to any port of one victim. */
    UDP_FLOOD,
    /** TCP SYNs from one source to a few well-known ports of very many hosts. */
    SYN_SCAN,
    /** Large answers from port 53 of many open resolvers to one victim. */
    DNS_AMPLIFICATION
  }

  /** Refuses what cannot happen. */
  public Attack {
    if (startMicros < 0 || durationMicros < 0 || !(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          kind + ": start " + startMicros + ", duration " + durationMicros + ", share " + share);
    }
  }

  /** First moment behind the attack, microseconds behind the model's start. */
  public long endMicros() {
    return startMicros + durationMicros;
  }
}
