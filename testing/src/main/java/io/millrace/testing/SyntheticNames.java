package io.millrace.testing;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Synthetic reverse DNS for benchmarks and tests: any number of addresses with realistic names.
 * Name {@code i} is a function of {@code i}. One address in ten is IPv6; 64 IPv4 addresses share a
 * /24, in an order that is not sorted. Domains end in the reserved {@code .example}.
 */
public final class SyntheticNames {
  private static final int PER_BLOCK = 64;
  private static final long BLOCK_STEP = 0x9E3779B1L;
  private static final long V4_PREFIX = 0xFFFF_0000_0000L;
  private static final long V6_PREFIX = 0x2001_0DB8_0000_0000L;

  private SyntheticNames() {}

  /** Upper half of address {@code i}, 0 to 2³⁰ − 1. */
  public static long high(long i) {
    return isV4(i) ? 0 : V6_PREFIX | (block(i) & 0xFFFF_FFFFL);
  }

  /** Lower half of address {@code i}. */
  public static long low(long i) {
    if (!isV4(i)) {
      return mix(i);
    }
    long host = i % PER_BLOCK * 4 + (mix(i) & 3);
    return V4_PREFIX | (block(i) & 0xFF_FFFF) << 8 | host;
  }

  /** An odd factor permutes the blocks modulo every power of two. */
  private static long block(long i) {
    return i / PER_BLOCK * BLOCK_STEP;
  }

  private static boolean isV4(long i) {
    return i / PER_BLOCK % 10 != 9;
  }

  /** Name of address {@code i}. */
  public static String name(long i) {
    long block = i / PER_BLOCK;
    long provider = mix(block) >>> 1;
    long host = i % PER_BLOCK;
    String domain = "isp" + provider % 20_000 + ".example";
    return switch ((int) (provider >>> 32) & 3) {
      case 0 -> "host-" + block % 256 + "-" + block / 256 % 256 + "-" + host + ".dyn." + domain;
      case 1 -> "p" + Long.toHexString(mix(i) & 0xFFFF_FFFFL) + ".dip0." + domain;
      case 2 -> "cust" + host + ".pool" + block % 1000 + ".city" + provider % 97 + "." + domain;
      default -> "srv" + host + "." + domain;
    };
  }

  /** The text of address {@code i}. */
  private static String address(long i) {
    ByteBuffer bytes = ByteBuffer.allocate(16).putLong(high(i)).putLong(low(i));
    try {
      return InetAddress.getByAddress(bytes.array()).getHostAddress();
    } catch (UnknownHostException e) { // 16 bytes are an address
      throw new IllegalStateException(e);
    }
  }

  /** The finalizer of MurmurHash3 in Stafford's variant 13. */
  private static long mix(long value) {
    long z = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  /**
   * Writes the first {@code count} names as lines {@code ip,name}, more than a million a second.
   *
   * @throws IOException if the file cannot be written
   */
  public static void write(Path csv, long count) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(csv), 1 << 20)) {
      StringBuilder line = new StringBuilder(128);
      for (long i = 0; i < count; i++) {
        line.setLength(0);
        line.append(address(i)).append(',').append(name(i)).append('\n');
        out.write(line.toString().getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  /**
   * Fills columns with addresses by Zipf's law: the r-th most frequent of {@code count} names has a
   * probability proportional to 1/r. Frequent names are scattered.
   *
   * @param seed the same seed gives the same addresses
   */
  public static void zipf(long seed, long count, long[] high, long[] low) {
    double logarithm = Math.log1p((double) count);
    long step = scatter(count);
    for (int n = 0; n < high.length; n++) {
      double uniform = (double) (mix(seed + mix(n)) >>> 11) * 0x1p-53;
      long rank = Math.min(count - 1, (long) Math.expm1(uniform * logarithm));
      long i = rank * step % count;
      high[n] = high(i);
      low[n] = low(i);
    }
  }

  /** A stride that visits every name once: a prime that does not divide {@code count}. */
  private static long scatter(long count) {
    long[] primes = {1_000_000_007L, 998_244_353L};
    return count % primes[0] == 0 ? primes[1] : primes[0];
  }
}
