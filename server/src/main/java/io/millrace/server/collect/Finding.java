package io.millrace.server.collect;

/**
 * One thing that {@link Doctor} has found.
 *
 * @param stage where it happens
 * @param cause what happens, in a few words
 * @param datagrams how many it concerns, 0 where it is not about a number of them
 * @param advice what to do
 */
public record Finding(Stage stage, String cause, long datagrams, String advice) {
  /** Places on the way of a datagram, in its order. */
  public enum Stage {
    /** The exporter and the network between it and us. */
    NETWORK("on the way here"),
    /** The socket's buffer. */
    KERNEL("at the socket"),
    /** From the socket into the log. */
    COLLECTOR("into the log"),
    /** From the log to rows. */
    JOB("from the log to rows");

    private final String label;

    Stage(String label) {
      this.label = label;
    }

    /** The place in words. */
    public String label() {
      return label;
    }
  }
}
