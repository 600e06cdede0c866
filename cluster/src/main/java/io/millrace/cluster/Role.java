package io.millrace.cluster;

import java.util.Locale;

/** Role of a process of the cluster. */
public enum Role {
  /** Elects the leading JobManager. */
  ZOOKEEPER,
  /** Stores the log. */
  BROKER,
  /** Coordinates jobs. */
  JOBMANAGER,
  /** Runs jobs' subtasks. */
  TASKMANAGER,
  /** Runs queries on the store's tables. */
  TRINO,
  /** Any process that the caller adds. */
  COMPANION;

  /** The name of the n-th process of this role, from 1: {@code taskmanager-2}. */
  public String processName(int n) {
    return name().toLowerCase(Locale.ROOT) + "-" + n;
  }
}
