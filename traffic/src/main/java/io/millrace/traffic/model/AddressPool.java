package io.millrace.traffic.model;

/**
 * The networks between which the model makes traffic, and the hosts in them. Implementations are
 * immutable: the same call gives the same address for ever.
 *
 * <p>A network is an autonomous system with all its ranges, named by its index from 0 to {@link
 * #networks()} - 1.
 */
public interface AddressPool {
  /** Number of networks. */
  int networks();

  /** Number of the autonomous system, unsigned 32 bits. */
  long asNumber(int network);

  /** Name of the network's operator. */
  String name(int network);

  /** Whether the network has addresses of the family. */
  boolean has(int network, boolean v6);

  /** Number of addresses of the family whose reverse name is known; may be 0. */
  int namedHosts(int network, boolean v6);

  /**
   * One of the addresses that have a name.
   *
   * @param i from 0 to {@link #namedHosts} - 1
   * @param out takes the upper half at 0 and the lower half at 1
   */
  void namedHost(int network, boolean v6, int i, long[] out);

  /**
   * Any address of the network, with a name or without.
   *
   * @param host any number; the same number gives the same address
   * @param out takes the upper half at 0 and the lower half at 1
   */
  void host(int network, boolean v6, long host, long[] out);
}
