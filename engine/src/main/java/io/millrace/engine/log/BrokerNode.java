package io.millrace.engine.log;

/**
 * One Kafka node and where it listens. Immutable.
 *
 * @param id of the node, from 1
 * @param host address that it binds and tells to clients
 * @param port for clients and the other brokers
 * @param controllerPort of the quorum's votes; bound only by a node that {@link #votes}
 */
public record BrokerNode(int id, String host, int port, int controllerPort) {
  /** Where clients find it. */
  public String address() {
    return host + ":" + port;
  }

  /**
   * Whether this node is a controller as well, in a cluster of so many: each of three or more, and
   * the first of two, since two voters would have to be up both.
   */
  boolean votes(int brokers) {
    return brokers > 2 || id == 1;
  }
}
