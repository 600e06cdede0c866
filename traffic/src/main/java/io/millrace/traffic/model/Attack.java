package io.millrace.traffic.model;

/**
 * An attack in the exchange's samples, over a period of model time.
 *
 * @param kind pattern of the attack
 * @param startMicros begin, microseconds after the model's start
 * @param durationMicros duration, microseconds
 * @param share share, 0 to 1, of the samples not taken by earlier attacks in the list
 */
public record Attack(Kind kind, long startMicros, long durationMicros, double share) {
  /** Pattern of an attack. */
  public enum Kind {
    /** Large UDP packets from very many sources to any port of one victim. */
    UDP_FLOOD,
    /** TCP SYNs from one source to a few well-known ports of very many hosts. */
    SYN_SCAN,
    /** Large responses from port 53 of many open resolvers to one victim. */
    DNS_AMPLIFICATION
  }

  public Attack {
    if (startMicros < 0 || durationMicros < 0 || !(share >= 0 && share <= 1)) {
      throw new IllegalArgumentException(
          kind + ": start " + startMicros + ", duration " + durationMicros + ", share " + share);
    }
  }

  /** End of the attack, exclusive, microseconds after the model's start. */
  public long endMicros() {
    return startMicros + durationMicros;
  }
}
