package io.millrace.cluster;

/** The directory contains a running cluster. */
public final class ClusterRunsException extends RuntimeException {
  ClusterRunsException(String message) {
    super(message);
  }
}
