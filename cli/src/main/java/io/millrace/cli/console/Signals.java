package io.millrace.cli.console;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Optional;

/** Handlers of POSIX signals. By reflection, since javac warns of each use of {@code sun.misc}. */
final class Signals {
  private static final String SIGNAL = "sun.misc.Signal";
  private static final String HANDLER = "sun.misc.SignalHandler";

  private Signals() {}

  /**
   * Replaces the handler of a signal.
   *
   * @param name without SIG
   * @return restores the earlier handler; empty if the JVM does not allow to handle the signal, as
   *     with {@code -Xrs}
   */
  static Optional<Runnable> handle(String name, Runnable action) {
    try {
      Class<?> type = Class.forName(HANDLER);
      InvocationHandler invocation =
          (proxy, method, arguments) -> {
            if (method.getDeclaringClass() == Object.class) {
              return method.invoke(action, arguments);
            }
            action.run();
            return null;
          };
      Object handler =
          Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {type}, invocation);
      Class<?> signal = Class.forName(SIGNAL);
      Object its = signal.getConstructor(String.class).newInstance(name);
      Method handle = signal.getMethod("handle", signal, type);
      Object earlier = handle.invoke(null, its, handler);
      return Optional.of(() -> restore(handle, its, earlier));
    } catch (ReflectiveOperationException e) {
      return Optional.empty();
    }
  }

  private static void restore(Method handle, Object signal, Object earlier) {
    try {
      handle.invoke(null, signal, earlier);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot restore the handler of " + signal, e);
    }
  }
}
