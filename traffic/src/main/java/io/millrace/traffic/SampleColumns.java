package io.millrace.traffic;

import io.millrace.traffic.model.Packet;

/**
 * True content of the samples of datagrams, as columns, which a collector must reproduce. The
 * generator fills the arrays in place; entries to which no datagram refers are undefined.
 */
public final class SampleColumns {
  final int[] srcNetwork;
  final int[] dstNetwork;
  final long[] srcHigh;
  final long[] srcLow;
  final long[] dstHigh;
  final long[] dstLow;
  final int[] protocol;
  final int[] srcPort;
  final int[] dstPort;
  final int[] ipLength;
  final int[] tcpFlags;
  final int[] tos;
  final int[] inIf;
  final int[] outIf;

  SampleColumns(int capacity) {
    srcNetwork = new int[capacity];
    dstNetwork = new int[capacity];
    srcHigh = new long[capacity];
    srcLow = new long[capacity];
    dstHigh = new long[capacity];
    dstLow = new long[capacity];
    protocol = new int[capacity];
    srcPort = new int[capacity];
    dstPort = new int[capacity];
    ipLength = new int[capacity];
    tcpFlags = new int[capacity];
    tos = new int[capacity];
    inIf = new int[capacity];
    outIf = new int[capacity];
  }

  void set(int i, Packet packet, int in, int out) {
    srcNetwork[i] = packet.srcNetwork;
    dstNetwork[i] = packet.dstNetwork;
    srcHigh[i] = packet.srcHigh;
    srcLow[i] = packet.srcLow;
    dstHigh[i] = packet.dstHigh;
    dstLow[i] = packet.dstLow;
    protocol[i] = packet.protocol;
    srcPort[i] = packet.srcPort;
    dstPort[i] = packet.dstPort;
    ipLength[i] = packet.ipLength;
    tcpFlags[i] = packet.tcpFlags;
    tos[i] = packet.tos;
    inIf[i] = in;
    outIf[i] = out;
  }

  void copy(SampleColumns source, int from, int at, int count) {
    System.arraycopy(source.srcNetwork, from, srcNetwork, at, count);
    System.arraycopy(source.dstNetwork, from, dstNetwork, at, count);
    System.arraycopy(source.srcHigh, from, srcHigh, at, count);
    System.arraycopy(source.srcLow, from, srcLow, at, count);
    System.arraycopy(source.dstHigh, from, dstHigh, at, count);
    System.arraycopy(source.dstLow, from, dstLow, at, count);
    System.arraycopy(source.protocol, from, protocol, at, count);
    System.arraycopy(source.srcPort, from, srcPort, at, count);
    System.arraycopy(source.dstPort, from, dstPort, at, count);
    System.arraycopy(source.ipLength, from, ipLength, at, count);
    System.arraycopy(source.tcpFlags, from, tcpFlags, at, count);
    System.arraycopy(source.tos, from, tos, at, count);
    System.arraycopy(source.inIf, from, inIf, at, count);
    System.arraycopy(source.outIf, from, outIf, at, count);
  }

  int srcNetwork(int i) {
    return srcNetwork[i];
  }

  int dstNetwork(int i) {
    return dstNetwork[i];
  }

  long srcHigh(int i) {
    return srcHigh[i];
  }

  long srcLow(int i) {
    return srcLow[i];
  }

  long dstHigh(int i) {
    return dstHigh[i];
  }

  long dstLow(int i) {
    return dstLow[i];
  }

  int protocol(int i) {
    return protocol[i];
  }

  int srcPort(int i) {
    return srcPort[i];
  }

  int dstPort(int i) {
    return dstPort[i];
  }

  /** Total length of the IP datagram: {@code bytes} in the flows table. */
  int ipLength(int i) {
    return ipLength[i];
  }

  /** TCP flags; -1 for other protocols. */
  int tcpFlags(int i) {
    return tcpFlags[i];
  }

  int tos(int i) {
    return tos[i];
  }

  int inIf(int i) {
    return inIf[i];
  }

  int outIf(int i) {
    return outIf[i];
  }
}
