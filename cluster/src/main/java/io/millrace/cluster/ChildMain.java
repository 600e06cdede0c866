package io.millrace.cluster;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/**
 * Runs another class's {@code main}, and ends the process when the one that started it ends, even
 * one that was killed and could stop nothing any more. For clusters that belong to a test or a
 * benchmark.
 */
final class ChildMain {
  private ChildMain() {}

  /** The parent's pid, the class, and its arguments. */
  public static void main(String[] arguments) throws Throwable {
    ProcessHandle parent =
        ProcessHandle.of(Long.parseLong(arguments[0]))
            .orElseThrow(() -> new IllegalStateException("the parent has ended already"));
    var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
    MethodHandles.publicLookup()
        .findStatic(
            Class.forName(arguments[1]), "main", MethodType.methodType(void.class, String[].class))
        .invoke((Object) Arrays.copyOfRange(arguments, 2, arguments.length));
  }
}
