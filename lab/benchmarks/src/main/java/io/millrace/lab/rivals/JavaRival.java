package io.millrace.lab.rivals;

import io.millrace.lab.profile.Profile;
import io.millrace.pulse.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles and runs a program, a Java source file among the resources, in its own process. */
public final class JavaRival {
  private static final List<String> OPENED =
      List.of("java.lang", "java.nio", "java.util", "sun.nio.ch", "java.net");

  private JavaRival() {}

  /** Returns the class path of this process. */
  public static String ownClassPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(part -> Path.of(part).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** Copies a program's source, a resource of this package, to a directory. */
  public static Path file(Path directory, String name) throws IOException {
    try (InputStream in = JavaRival.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("there is no resource " + name);
      }
      Files.createDirectories(directory);
      Path file = directory.resolve(name);
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      return file;
    }
  }

  /**
   * Compiles a source file.
   *
   * @param directory for the source, its classes and later its output; created if missing
   * @param source name of the resource: {@code FlinkAds.java} has the class FlinkAds without
   *     package
   * @param classPath class path of its dependencies
   * @throws IOException if there is no compiler, or compilation fails; with the compiler's output
   */
  public static void compile(Path directory, String source, String classPath) throws IOException {
    Path file = file(directory, source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    if (compiler == null) {
      throw new IOException(source + " cannot be compiled: this Java is not a JDK");
    }
    ByteArrayOutputStream words = new ByteArrayOutputStream();
    int status =
        compiler.run(
            null,
            words,
            words,
            "-nowarn",
            "-proc:none",
            "-d",
            directory.toString(),
            "-cp",
            classPath,
            file.toString());
    if (status != 0) {
      throw new IOException(source + ": " + words.toString(StandardCharsets.UTF_8));
    }
  }

  /**
   * Compiles a source file and runs its {@code main}; the output goes to {@code CLASS.out}.
   *
   * @param options JVM options
   * @throws IOException as {@link #compile}, or if the process cannot be started
   */
  public static ChildProcess start(
      Path directory, String source, String classPath, List<String> options, List<String> arguments)
      throws IOException {
    compile(directory, source, classPath);
    String name = source.replaceFirst("\\.java$", "");
    return java(directory, name, directory + File.pathSeparator + classPath, options, arguments);
  }

  /** Runs a class in its own JVM, as {@link #start}. */
  public static ChildProcess java(
      Path directory, String name, String classPath, List<String> options, List<String> arguments)
      throws IOException {
    Files.createDirectories(directory);
    String simpleName = name.substring(name.lastIndexOf('.') + 1);
    List<String> command = new ArrayList<>(Profile.environment(directory, simpleName));
    command.add(ChildProcess.jdk("java"));
    OPENED.forEach(each -> command.add("--add-opens=java.base/" + each + "=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, name));
    command.addAll(arguments);
    return ChildProcess.start(directory.resolve(simpleName + ".out"), command);
  }
}
