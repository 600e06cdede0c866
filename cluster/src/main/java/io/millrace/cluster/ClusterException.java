package io.millrace.cluster;

/** Failure of an operation on the cluster; the message names the process and the cause. */
public final class ClusterException extends RuntimeException {
  /** Creates an exception with a complete message. */
  public ClusterException(String message) {
    super(message);
  }

  /** Creates an exception with a cause. */
  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
