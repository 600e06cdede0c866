package io.millrace.server.runtime;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.CounterBlock;
import io.millrace.wire.block.CounterColumn;
import io.millrace.wire.sflow.SflowEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** An sFlow agent whose samples are numbered: the n-th has a length of 100 + n mod 1000 bytes. */
public final class TestExporter implements AutoCloseable {
  public static final int SAMPLES = 5;
  static final int RATE = 256;

  private final SflowEncoder encoder = new SflowEncoder(1_500);
  private final DatagramChannel socket = DatagramChannel.open();
  private final int agent;
  private int sequence;
  private int samples;

  public TestExporter(int agent) throws IOException {
    this.agent = agent;
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Datagrams sent so far. */
  int sent() {
    return sequence;
  }

  public void send(InetSocketAddress to, int datagrams) throws IOException {
    for (int i = 0; i < datagrams; i++) {
      socket.send(ByteBuffer.wrap(next()), to);
    }
  }

  /** Sends a datagram of samples, followed by the received octets of interface 7. */
  void sendCounters(InetSocketAddress to, long octets) throws IOException {
    next();
    CounterBlock counters = new CounterBlock(1);
    counters.ints(CounterColumn.IF_INDEX)[0] = 7;
    counters.longs(CounterColumn.IN_OCTETS)[0] = octets;
    encoder.counterSample(sequence, 0, 7);
    encoder.interfaceCounters(counters, 0);
    socket.send(ByteBuffer.wrap(encoder.toBytes()), to);
  }

  byte[] next() {
    encoder.begin(0, Addresses.v4Low(agent), 0, ++sequence, 10 * sequence);
    for (int i = 0; i < SAMPLES; i++, samples++) {
      encoder.flowSample(samples, 0, 1, RATE, samples, 0, 7, 0, 8);
      int source = samples % 2 == 0 ? 0x01000000 : 0x08000000; // 1.0.0.0 and 8.0.0.0
      encoder.sampledIpv4(
          100 + samples % 1_000,
          6,
          source + samples % 256,
          0x0A000001,
          samples % 60_000,
          443,
          2,
          0);
    }
    return encoder.toBytes();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
