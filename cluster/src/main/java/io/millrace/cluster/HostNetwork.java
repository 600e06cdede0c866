package io.millrace.cluster;

import java.util.List;

/** A network with a separate host for each process of a cluster. */
public interface HostNetwork extends AutoCloseable {
  /** Adds the host of a process. */
  void add(String process);

  /** The name of a process's host. */
  String host(String process);

  /** The address of a process's host. */
  String address(String process);

  /** Prefix of a command that runs it on the host of a process. */
  List<String> prefix(String process);

  /** Removes the network with its hosts. */
  @Override
  void close();
}
