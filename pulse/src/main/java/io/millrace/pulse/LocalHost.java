package io.millrace.pulse;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Name of this machine, which may not resolve, or resolve to another machine's address. */
public final class LocalHost {
  private static final Path NAME = Path.of("/proc/sys/kernel/hostname"); // proc(5)

  private LocalHost() {}

  /** Name of this machine, on Linux without a look-up; {@code localhost} if unknown. */
  public static String name() {
    try {
      return Files.readString(NAME).strip();
    } catch (IOException e) {
      try {
        return InetAddress.getLocalHost().getHostName();
      } catch (UnknownHostException unknown) {
        return "localhost";
      }
    }
  }

  /**
   * Makes {@link InetAddress#getLocalHost} return a loopback address under the machine's name in
   * this JVM. Flink's embedded cluster resolves its own listeners by that address, even if they are
   * bound to loopback. The JDK has no option for this, so the method replaces the JDK's cached
   * entry by one that never expires.
   *
   * @throws UnknownHostException if the JDK denies access and the name does not resolve; the
   *     message says what to do
   */
  public static void toLoopback() throws UnknownHostException {
    try {
      InetAddress loopback =
          InetAddress.getByAddress(name(), InetAddress.getLoopbackAddress().getAddress());
      Class<?> type = Class.forName(InetAddress.class.getName() + "$CachedLocalHost");
      Constructor<?> constructor = type.getDeclaredConstructor(String.class, InetAddress.class);
      constructor.setAccessible(true);
      Object cached = constructor.newInstance(name(), loopback);
      Field expiry = type.getDeclaredField("expiryTime");
      expiry.setAccessible(true);
      expiry.setLong(cached, System.nanoTime() + Long.MAX_VALUE / 2);
      Field cache = InetAddress.class.getDeclaredField("cachedLocalHost");
      cache.setAccessible(true);
      cache.set(null, cached);
    } catch (ReflectiveOperationException | RuntimeException e) {
      requireResolvable();
    }
  }

  private static void requireResolvable() throws UnknownHostException {
    try {
      var unused = InetAddress.getLocalHost();
    } catch (UnknownHostException e) {
      throw new UnknownHostException(
          "cannot resolve the name of this machine, "
              + name()
              + ": add the line '127.0.0.1 "
              + name()
              + "' to /etc/hosts");
    }
  }
}
