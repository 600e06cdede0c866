package io.millrace.traffic.model;

/**
 * Networks of the traffic model and their hosts. Implementations are immutable: the same call
 * always returns the same address.
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

  /** Number of addresses of the family with a known reverse name; may be 0. */
  int namedHosts(int network, boolean v6);

  /**
   * Returns one of the addresses with a name.
   *
   * @param i from 0 to {@link #namedHosts} - 1
   * @param out gets the upper half at 0 and the lower half at 1
   */
  void namedHost(int network, boolean v6, int i, long[] out);

  /**
   * Returns any address of the network, with a name or without.
   *
   * @param host any number; the same number gives the same address
   * @param out gets the upper half at 0 and the lower half at 1
   */
  void host(int network, boolean v6, long host, long[] out);
}
