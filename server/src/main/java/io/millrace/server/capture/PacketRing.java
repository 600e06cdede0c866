package io.millrace.server.capture;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.BigEndian;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Packet source of one interface that reads a memory-mapped ring of blocks: {@code TPACKET_V3} of
 * Linux's {@code packet(7)}. All numbers are in the machine's byte order.
 *
 * <pre>
 *   a block:   0         8        12       16         20
 *              +---------+--------+--------+----------+------+-----+---------+--------------
 *              | version | status | number | first at |      |     | packets | …
 *              | …       | 1: user|        |          |      |     |         |
 *              +---------+--------+--------+----------+------+-----+---------+--------------
 *   a packet:  0         4   8    12     16       20       24      26        32    36     48
 *              +---------+---+----+------+--------+--------+-------+---------+-----+------+------
 *              | next at | s | ns | kept | length | status | at    | network | tag | type | bytes
 *              +---------+---+----+------+--------+--------+-------+---------+-----+------+------
 * </pre>
 *
 * VLAN tags that the kernel has removed are reinserted. On a loopback interface, each packet is
 * captured once, on ingress. Not thread-safe.
 */
final class PacketRing implements PacketSource {
  static final int BLOCK_BYTES = 1 << 20;

  private static final int SOL_PACKET = 263;
  private static final int PACKET_ADD_MEMBERSHIP = 1;
  private static final int PACKET_RX_RING = 5;
  private static final int PACKET_STATISTICS = 6;
  private static final int PACKET_VERSION = 10;
  private static final int PACKET_IGNORE_OUTGOING = 23;
  private static final int TPACKET_V3 = 2;
  private static final int MEMBERSHIP_PROMISCUOUS = 1;
  private static final short ETH_P_ALL = 3;
  private static final int FRAME_BYTES =
      1 << 11; // only used for the ring's accounting; packets may be longer

  private static final int BLOCK_STATUS = 8;
  private static final int BLOCK_PACKETS = 12;
  private static final int BLOCK_FIRST = 16;
  private static final int OURS = 1;

  private static final int NEXT = 0;
  private static final int SECONDS = 4;
  private static final int NANOS = 8;
  private static final int KEPT = 12;
  private static final int LENGTH = 16;
  private static final int STATUS = 20;
  private static final int BYTES_AT = 24;
  private static final int TAG = 32;
  private static final int TAG_TYPE = 36;
  private static final int HAS_TAG = 1 << 4;
  private static final int HAS_TAG_TYPE = 1 << 6;
  private static final int ETHER_TYPE_VLAN = 0x8100;
  private static final int ETHERNET_ADDRESSES = 12;
  private static final int TAG_LENGTH = 4;

  private static final VarHandle INT =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final String name;
  private final Kind kind;
  private final int interfaceNumber;
  private final int fd;
  private final long mappedBytes;
  private final int blocks;
  private final byte[] tagged = new byte[(64 << 10) + 64];
  private Pointer mapped;
  private ByteBuffer ring;

  private int block; // index of the current or next block
  private int left; // unread packets in the block
  private int packet; // offset of the next packet
  private boolean hasFailed;

  private record Kind(int linkNumber, int socketType) {
    static final int ETHERNET = 1;
    private static final int RAW_IP = 101;
    private static final int WIFI = 105;
    private static final int RADIOTAP = 127;

    /** Kind of an ARPHRD number of {@code if_arp.h}. */
    static Kind of(int hardware) {
      return switch (hardware) {
        case 1, 772 -> new Kind(ETHERNET, LinuxCalls.SOCK_RAW);
        case 801 -> new Kind(WIFI, LinuxCalls.SOCK_RAW);
        case 803 -> new Kind(RADIOTAP, LinuxCalls.SOCK_RAW);
        default -> new Kind(RAW_IP, LinuxCalls.SOCK_DGRAM);
      };
    }
  }

  PacketRing(String name, CaptureConfig config) throws IOException {
    this.name = name;
    interfaceNumber = number(name);
    kind = kind(name);
    fd = open(name, kind.socketType());
    blocks = config.ringBytes() / BLOCK_BYTES;
    mappedBytes = (long) blocks * BLOCK_BYTES;
    try {
      filter(config);
      set(PACKET_VERSION, TPACKET_V3);
      set(PACKET_IGNORE_OUTGOING, isLoopback(name) ? 1 : 0);
      request(config.lingerMillis());
      mapped =
          LinuxCalls.mmap(
              Pointer.NULL, mappedBytes, LinuxCalls.PROT_READ_WRITE, LinuxCalls.MAP_SHARED, fd, 0);
      ring = mapped.getByteBuffer(0, mappedBytes).order(ByteOrder.nativeOrder());
      bind();
      if (config.promiscuous()) {
        promiscuous();
      }
    } catch (LastErrorException e) {
      close();
      throw rejected(name, e);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  static void check(CaptureConfig config) throws IOException {
    for (String name : config.interfaces()) {
      var unused = number(name);
      Kind kind = kind(name);
      LinuxCalls.close(open(name, kind.socketType()));
      PacketFilter.of(config.filter(), kind.linkNumber(), config.snapLengthBytes()).close();
    }
  }

  private static int number(String name) throws IOException {
    NetworkInterface found = NetworkInterface.getByName(name);
    if (found == null) {
      throw new IOException(
          "capture.interfaces: unknown interface "
              + name
              + ", expected one of "
              + NetworkInterface.networkInterfaces()
                  .map(NetworkInterface::getName)
                  .sorted()
                  .collect(Collectors.joining(", ")));
    }
    return found.getIndex();
  }

  static boolean isLoopback(String name) throws IOException {
    NetworkInterface found = NetworkInterface.getByName(name);
    return found != null && found.isLoopback();
  }

  private static Kind kind(String name) throws IOException {
    Path type = Path.of("/sys/class/net", name, "type");
    if (!Files.exists(type)) {
      throw new IOException("capture.interfaces: packet capture requires Linux");
    }
    return Kind.of(Integer.parseInt(Files.readString(type, StandardCharsets.US_ASCII).strip()));
  }

  private static int open(String name, int type) throws IOException {
    try {
      return LinuxCalls.socket(LinuxCalls.AF_PACKET, type | LinuxCalls.SOCK_CLOEXEC, 0);
    } catch (LastErrorException e) {
      throw rejected(name, e);
    } catch (LinkageError e) {
      throw new IOException("cannot capture packets, the C library is not available: " + e, e);
    }
  }

  private static IOException rejected(String name, LastErrorException e) {
    String reason = LinuxCalls.strerror(e.getErrorCode());
    return new IOException(
        e.getErrorCode() == LinuxCalls.EPERM
            ? "cannot capture packets of "
                + name
                + " (capture.interfaces): missing capability CAP_NET_RAW; run as root, or give"
                + " the service AmbientCapabilities=CAP_NET_RAW, or start with setpriv"
                + " --inh-caps=+net_raw --ambient-caps=+net_raw"
            : "cannot capture packets of " + name + " (capture.interfaces): " + reason,
        e);
  }

  private void filter(CaptureConfig config) throws IOException {
    try (PacketFilter filter =
        PacketFilter.of(config.filter(), kind.linkNumber(), config.snapLengthBytes())) {
      LinuxCalls.setsockopt(
          fd,
          LinuxCalls.SOL_SOCKET,
          LinuxCalls.SO_ATTACH_FILTER,
          filter.program(),
          PacketFilter.LENGTH);
    }
  }

  private void set(int option, int value) {
    set(option, new int[] {value});
  }

  private void set(int option, int... values) {
    try (Memory memory = new Memory((long) values.length * Integer.BYTES)) {
      memory.write(0, values, 0, values.length);
      LinuxCalls.setsockopt(fd, SOL_PACKET, option, memory, (int) memory.size());
    }
  }

  /** Requests the ring, by {@code struct tpacket_req3}. */
  private void request(int lingerMillis) {
    int framesInAll = BLOCK_BYTES / FRAME_BYTES * blocks;
    set(PACKET_RX_RING, BLOCK_BYTES, blocks, FRAME_BYTES, framesInAll, lingerMillis, 0, 0);
  }

  /** Binds the socket to the interface, by {@code struct sockaddr_ll}. */
  private void bind() {
    try (Memory address = new Memory(20)) {
      address.clear();
      address.setShort(0, (short) LinuxCalls.AF_PACKET);
      address.setByte(2, (byte) (ETH_P_ALL >>> 8)); // network byte order
      address.setByte(3, (byte) ETH_P_ALL);
      address.setInt(4, interfaceNumber);
      LinuxCalls.bind(fd, address, (int) address.size());
    }
  }

  /** Enables promiscuous mode until the socket is closed, by {@code struct packet_mreq}. */
  private void promiscuous() {
    try (Memory membership = new Memory(16)) {
      membership.clear();
      membership.setInt(0, interfaceNumber);
      membership.setShort(4, (short) MEMBERSHIP_PROMISCUOUS);
      LinuxCalls.setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, membership, 16);
    }
  }

  static PacketSource.Opener opener(CaptureConfig config) {
    return new PacketSource.Opener() {
      @Override
      public PacketSource open(String name) throws IOException {
        return new PacketRing(name, config);
      }

      @Override
      public void await(List<PacketSource> silent, int millis) {
        PacketRing.await(silent.stream().map(PacketRing.class::cast).toList(), millis);
      }
    };
  }

  private static void await(List<PacketRing> rings, int millis) {
    try (Memory descriptors = new Memory(8L * rings.size())) {
      for (int i = 0; i < rings.size(); i++) {
        descriptors.setInt(8L * i, rings.get(i).fd);
        descriptors.setShort(8L * i + 4, (short) (LinuxCalls.POLLIN | LinuxCalls.POLLERR));
        descriptors.setShort(8L * i + 6, (short) 0);
      }
      LinuxCalls.poll(descriptors, rings.size(), millis);
      for (int i = 0; i < rings.size(); i++) {
        rings.get(i).hasFailed |= (descriptors.getShort(8L * i + 6) & LinuxCalls.POLLERR) != 0;
      }
    } catch (LastErrorException e) {
      if (e.getErrorCode() != LinuxCalls.EINTR) {
        throw new IllegalStateException("poll: " + LinuxCalls.strerror(e.getErrorCode()), e);
      }
    }
  }

  private int failure() {
    return get(LinuxCalls.SOL_SOCKET, LinuxCalls.SO_ERROR, 1)[0];
  }

  /** Fails if the interface is down and all earlier packets were read. */
  @Override
  public long nextMicros() throws IOException {
    while (left == 0) {
      int start = block * BLOCK_BYTES;
      if (((int) INT.getAcquire(ring, start + BLOCK_STATUS) & OURS) == 0) {
        if (hasFailed) {
          throw new IOException("packets of " + name + ": " + LinuxCalls.strerror(failure()));
        }
        return NONE;
      }
      left = ring.getInt(start + BLOCK_PACKETS);
      packet = start + ring.getInt(start + BLOCK_FIRST);
      if (left == 0) {
        release();
      }
    }
    return micros(packet);
  }

  private void release() {
    INT.setRelease(ring, block * BLOCK_BYTES + BLOCK_STATUS, 0);
    block = (block + 1) % blocks;
  }

  @Override
  public long next(PacketBlock.Writer to) {
    long length = add(packet, to);
    packet += ring.getInt(packet + NEXT);
    left--;
    if (left == 0) {
      release();
    }
    return length;
  }

  private long micros(int at) {
    return Integer.toUnsignedLong(ring.getInt(at + SECONDS)) * 1_000_000
        + ring.getInt(at + NANOS) / 1_000;
  }

  private long add(int at, PacketBlock.Writer to) {
    long micros = micros(at);
    int kept = ring.getInt(at + KEPT);
    long length = Integer.toUnsignedLong(ring.getInt(at + LENGTH));
    int status = ring.getInt(at + STATUS);
    int from = at + Short.toUnsignedInt(ring.getShort(at + BYTES_AT));
    boolean isTagged =
        (status & HAS_TAG) != 0 && kind.linkNumber() == Kind.ETHERNET && kept >= ETHERNET_ADDRESSES;
    if (!isTagged) {
      to.add(micros, kind.linkNumber(), interfaceNumber, length, ring, from, kept);
      return length;
    }
    ring.get(from, tagged, 0, ETHERNET_ADDRESSES);
    int type =
        (status & HAS_TAG_TYPE) != 0
            ? Short.toUnsignedInt(ring.getShort(at + TAG_TYPE))
            : ETHER_TYPE_VLAN;
    BigEndian.put16(tagged, ETHERNET_ADDRESSES, type);
    BigEndian.put16(tagged, ETHERNET_ADDRESSES + 2, ring.getInt(at + TAG));
    ring.get(
        from + ETHERNET_ADDRESSES,
        tagged,
        ETHERNET_ADDRESSES + TAG_LENGTH,
        kept - ETHERNET_ADDRESSES);
    to.add(
        micros,
        kind.linkNumber(),
        interfaceNumber,
        length + TAG_LENGTH,
        tagged,
        0,
        kept + TAG_LENGTH);
    return length + TAG_LENGTH;
  }

  @Override
  public long newDrops() {
    return Integer.toUnsignedLong(get(SOL_PACKET, PACKET_STATISTICS, 3)[1]);
  }

  private int[] get(int level, int option, int values) {
    try (Memory value = new Memory((long) values * Integer.BYTES);
        Memory length = new Memory(Integer.BYTES)) {
      value.clear();
      length.setInt(0, (int) value.size());
      LinuxCalls.getsockopt(fd, level, option, value, length);
      return value.getIntArray(0, values);
    }
  }

  @Override
  public void close() {
    if (mapped != null) {
      LinuxCalls.munmap(mapped, mappedBytes);
      mapped = null;
      ring = null;
    }
    LinuxCalls.close(fd);
  }
}
