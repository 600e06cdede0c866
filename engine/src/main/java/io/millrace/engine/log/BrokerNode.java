package io.millrace.engine.log;

/**
 * Addresses of one Kafka node. Immutable.
 *
 * @param id of the node, from 1
 * @param host address that it binds and advertises
 * @param port for clients and the other brokers
 * @param controllerPort of the quorum; bound only by a node that {@link #votes}
 */
public record BrokerNode(int id, String host, int port, int controllerPort) {
  /** Address for clients. */
  public String address() {
    return host + ":" + port;
  }

  /**
   * Whether this node is a controller: each of three or more nodes, but only the first of two,
   * since a quorum of two requires both to be up.
   */
  boolean votes(int brokers) {
    return brokers > 2 || id == 1;
  }
}
