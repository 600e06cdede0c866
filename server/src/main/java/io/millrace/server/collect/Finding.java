package io.millrace.server.collect;

/**
 * A finding of {@link Doctor}.
 *
 * @param cause in a few words
 * @param datagrams number concerned, 0 if unknown
 * @param advice the remedy
 */
public record Finding(Stage stage, String cause, long datagrams, String advice) {
  /** Stages of a datagram's path, in order. */
  public enum Stage {
    /** The exporter, and the network up to the socket. */
    NETWORK("network"),
    /** The socket's buffer. */
    KERNEL("socket"),
    /** From the socket into the log. */
    COLLECTOR("collector"),
    /** From the log to rows. */
    JOB("job");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    /** The stage in words. */
    public String label() {
      return label;
    }
  }
}
