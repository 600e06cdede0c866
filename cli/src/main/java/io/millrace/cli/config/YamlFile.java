package io.millrace.cli.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.Node;

/** Reads YAML documents into records; every key is optional. */
public final class YamlFile {
  private YamlFile() {}

  /**
   * Reads a file into a record.
   *
   * @param defaults values of keys that are not in the file
   * @throws ConfigException if the file cannot be read, is not YAML, or has an unknown key or
   *     invalid value
   */
  public static <T extends Record> T read(Path file, T defaults) {
    return parse(text(file), file.toString(), defaults);
  }

  /**
   * Reads one section of a file and ignores the others.
   *
   * @param key key of the section
   * @throws ConfigException as {@link #read(Path, Record)}
   */
  static <T extends Record> T read(Path file, String key, T defaults) {
    return new RecordBinder(file.toString())
        .bindSection(node(text(file), file.toString()), key, defaults);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new ConfigException("no such file: " + file);
    } catch (CharacterCodingException e) {
      throw new ConfigException(file + " is not text in UTF-8; save it in that encoding");
    } catch (IOException e) {
      throw new ConfigException("cannot read " + file + ": " + e.getMessage());
    }
  }

  /**
   * Parses a text into a record.
   *
   * @param file file name for messages
   * @param defaults values of keys that are not in the text
   * @throws ConfigException as {@link #read(Path, Record)}
   */
  public static <T extends Record> T parse(String text, String file, T defaults) {
    return new RecordBinder(file).bind(node(text, file), defaults, "");
  }

  private static Node node(String text, String file) {
    try {
      return new Compose(LoadSettings.builder().setLabel(file).setUseMarks(true).build())
          .composeString(text)
          .orElse(null);
    } catch (MarkedYamlEngineException e) {
      String place = e.getProblemMark().map(mark -> file + ":" + (mark.getLine() + 1)).orElse(file);
      throw new ConfigException("invalid YAML: " + e.getProblem() + " (" + place + ")");
    } catch (YamlEngineException e) {
      throw new ConfigException("invalid YAML: " + e.getMessage() + " (" + file + ")");
    }
  }
}
