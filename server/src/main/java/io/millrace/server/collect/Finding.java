package io.millrace.server.collect;

/**
 * A finding of {@link Doctor}.
 *
 * @param cause cause in a few words
 * @param datagrams number of affected datagrams, 0 if unknown
 * @param advice remedy
 */
public record Finding(Stage stage, String cause, long datagrams, String advice) {
  /** Stages of the data flow, in order. */
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

    /** Name of the stage for users. */
    public String label() {
      return label;
    }
  }
}
