package io.millrace.cluster;

import java.util.List;

/** A network on which each process of a cluster has a host of its own. */
public interface HostNetwork extends AutoCloseable {
  /** Adds the host of a process. */
  void add(String process);

  /** The name of a process's host. */
  String host(String process);

  /** The address of a process's host. */
  String address(String process);

  /** The words before a command that runs it on a process's host. */
  List<String> prefix(String process);

  /** Removes the network with its hosts. */
  @Override
  void close();
}
