package io.millrace.cluster;

/**
 * The cluster does not start, stop or do what was asked; the message says which process and why.
 */
public final class ClusterException extends RuntimeException {
  /** A message that is complete. */
  public ClusterException(String message) {
    super(message);
  }

  /** With its cause. */
  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
