package io.millrace.cluster;

/** There is a cluster in that directory already. */
public final class ClusterRunsException extends RuntimeException {
  ClusterRunsException(String message) {
    super(message);
  }
}
