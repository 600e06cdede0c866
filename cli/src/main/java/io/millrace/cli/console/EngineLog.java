package io.millrace.cli.console;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.millrace.pulse.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * Log of Kafka, Flink and other libraries in an instance: {@code engine.log} in the data directory,
 * at most three files of 10 MB. Millrace's own log lines are written to standard error and to the
 * file.
 */
public final class EngineLog implements AutoCloseable {
  private static final String FILE = "engine.log";
  private static final String CONSOLE = "console";
  private static final int OLD_FILES = 2;
  private static final long FILE_BYTES = 10L << 20;

  private final Path file;
  private final Logger root;
  private final Logger own;
  private final Level before;
  private final Appender<ILoggingEvent> console; // null if none
  private final RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();

  private EngineLog(Path file, LoggerContext context) {
    this.file = file;
    root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    own = context.getLogger("io.millrace");
    before = root.getLevel();
    console = root.getAppender(CONSOLE);

    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setPattern(
        "%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z'} %-5level [%thread] %logger{36} "
            + "%replace(%msg){'\\p{Cc}', '?'}%n%replace(%ex{8}){'[\\p{Cc}&&[^\n\t]]', '?'}");
    encoder.start();
    appender.setContext(context);
    appender.setFile(file.toString());
    appender.setEncoder(encoder);
    NumberedFiles rolling = new NumberedFiles(file);
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(FILE_BYTES));
    size.start();
    appender.setRollingPolicy(rolling);
    appender.setTriggeringPolicy(size);
  }

  /** Replaces Logback's policy, which would interpret a percent sign in the path. */
  private static final class NumberedFiles extends RollingPolicyBase {
    private final Path file;

    NumberedFiles(Path file) {
      this.file = file;
    }

    @Override
    public void rollover() {
      try {
        for (int i = OLD_FILES; i > 1; i--) {
          move(old(i - 1), old(i));
        }
        move(file, old(1));
      } catch (IOException e) {
        throw new RolloverFailure("cannot rename " + file, e);
      }
    }

    private static void move(Path from, Path to) throws IOException {
      if (Files.exists(from)) {
        Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
      }
    }

    private Path old(int number) {
      return file.resolveSibling(FILE + "." + number);
    }

    @Override
    public String getActiveFileName() {
      return file.toString();
    }
  }

  /** Starts logging into a data directory, which is created if missing. */
  public static EngineLog into(Path data) throws IOException {
    PrivateFiles.createDirectories(data);
    EngineLog log =
        new EngineLog(
            data.toAbsolutePath().resolve(FILE), (LoggerContext) LoggerFactory.getILoggerFactory());
    log.start();
    return log;
  }

  private void start() {
    SLF4JBridgeHandler
        .removeHandlersForRootLogger(); // gRPC's handler prints a stack trace for any invalid byte
    SLF4JBridgeHandler.install();
    appender.start();
    root.addAppender(appender);
    if (System.getenv("MILLRACE_LOG_OTHERS") == null) {
      root.setLevel(Level.INFO);
    }
    if (console != null) {
      root.detachAppender(console);
      own.addAppender(console);
    }
  }

  /** The current log file. */
  public Path file() {
    return file;
  }

  @Override
  public void close() {
    if (console != null) {
      own.detachAppender(console);
      root.addAppender(console);
    }
    root.setLevel(before);
    root.detachAppender(appender);
    appender.stop();
  }
}
