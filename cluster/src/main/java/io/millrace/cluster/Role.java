package io.millrace.cluster;

import java.util.Locale;

/** What a process of the cluster is there for. */
public enum Role {
  /** Where JobManagers agree on who leads. */
  ZOOKEEPER,
  /** Keeps the log. */
  BROKER,
  /** Coordinates jobs. */
  JOBMANAGER,
  /** Does jobs' work. */
  TASKMANAGER,
  /** A process of the caller's own that lives with the cluster. */
  COMPANION;

  /** The name of the n-th process of this role, from 1: {@code taskmanager-2}. */
  public String processName(int n) {
    return name().toLowerCase(Locale.ROOT) + "-" + n;
  }
}
