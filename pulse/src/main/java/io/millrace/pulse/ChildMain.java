package io.millrace.pulse;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/**
 * Runs the {@code main} of another class with the {@linkplain HostDefaults defaults} of Millrace's
 * processes. If a parent is given, this process ends with it, even if the parent is killed.
 */
public final class ChildMain {
  private static final String NO_PARENT = "0";

  private ChildMain() {}

  /** Command line, without the arguments of the class, of a process that ends with this one. */
  public static List<String> of(String main) {
    return List.of(ChildMain.class.getName(), Long.toString(ProcessHandle.current().pid()), main);
  }

  /** Command line, without the arguments of the class, of a process that outlives this one. */
  public static List<String> detached(String main) {
    return List.of(ChildMain.class.getName(), NO_PARENT, main);
  }

  /**
   * Runs the class's {@code main}.
   *
   * @param arguments the parent's pid or {@link #NO_PARENT}, the class, and its arguments
   */
  public static void main(String[] arguments) throws Throwable {
    HostDefaults.set();
    if (!arguments[0].equals(NO_PARENT)) {
      ProcessHandle parent =
          ProcessHandle.of(Long.parseLong(arguments[0]))
              .orElseThrow(() -> new IllegalStateException("parent process not found"));
      var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    }
    Method main = Class.forName(arguments[1]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true); // the class need not be public
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(arguments, 2, arguments.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
