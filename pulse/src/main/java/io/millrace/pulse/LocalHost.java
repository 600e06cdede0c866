package io.millrace.pulse;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this machine, which need not resolve, or resolves to an address of another one. */
public final class LocalHost {
  private static final Path NAME = Path.of("/proc/sys/kernel/hostname"); // proc(5)

  private LocalHost() {}

  /** The name, without a look-up where the system is Linux; {@code localhost} if it is unknown. */
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
   * Has {@link InetAddress#getLocalHost} give a loopback address under the machine's name from now
   * on, in this JVM. Flink's embedded cluster looks for its own listeners at that address, also
   * where they are bound to loopback. The JDK has no option for it: its cache of five seconds is
   * filled for ever.
   *
   * @throws UnknownHostException if the JDK does not let us and the name does not resolve; says
   *     what to do
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
          "the name of this machine, "
              + name()
              + ", does not resolve: write the line '127.0.0.1 "
              + name()
              + "' into /etc/hosts");
    }
  }
}
