package io.millrace.pulse;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/**
 * Runs another class's {@code main}, and ends the process when the one that started it ends, even
 * one that was killed and could stop nothing any more.
 */
public final class ChildMain {
  private ChildMain() {}

  /** What stands on a command line before that class's arguments. */
  public static List<String> of(String main) {
    return List.of(ChildMain.class.getName(), Long.toString(ProcessHandle.current().pid()), main);
  }

  /** The parent's pid, the class, and its arguments. */
  public static void main(String[] arguments) throws Throwable {
    ProcessHandle parent =
        ProcessHandle.of(Long.parseLong(arguments[0]))
            .orElseThrow(() -> new IllegalStateException("the parent has ended already"));
    var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    Method main = Class.forName(arguments[1]).getDeclaredMethod("main", String[].class);
    main.setAccessible(true); // also of a class that is not public
    try {
      main.invoke(null, (Object) Arrays.copyOfRange(arguments, 2, arguments.length));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
