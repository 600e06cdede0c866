package io.millrace.analytics.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.TableBlock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlertTextTest {
  private static final long FROM = 1_700_000_000_000_000L;
  private static final long UNTIL = FROM + 60_000_000 - 1;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          source              | 192.0.2.1                    | src_addr = '192.0.2.1'
          destination-prefix  | 192.0.2.0/24                 | dst_addr IN 192.0.2.0/24
          destination         | 2001:db8::1                  | dst_addr = '2001:db8::1'
          5-tuple             | 192.0.2.1 192.0.2.2 17 53 99 | src_addr = '192.0.2.1' AND dst_addr = '192.0.2.2' AND proto = 17 AND src_port = 53 AND dst_port = 99
          as-pair             | 64500 -                      | src_as = 64500 AND dst_as IS NULL
          source-domain       | it's.example                 | src_domain = 'it''s.example'
          """)
  void aKeyIsAFilter(String by, String key, String filter) {
    assertThat(AlertText.filter(by, key)).hasValue(filter);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          keyword                                | a keyword
          src_addr+(dst_port < 1024)             | 192.0.2.1 true
          exporter_name+src_domain               | a name of words example.org
          """)
  void keysWithoutFilterLinkToTheAlerts(String by, String key) {
    assertThat(AlertText.page(by, key, FROM, UNTIL, 60_000_000))
        .startsWith("#alerts?from=2023-11-14T22%3A08%3A20Z&to=2023-11-14T22%3A19%3A20Z");
  }

  @Test
  void aSentenceHasOldAndNewValue() {
    AlertText text = new AlertText("http://localhost:8080/");
    AlertRows.Key key =
        new AlertRows.Key(
            FROM, UNTIL, "hitter", "source", "192.0.2.1", "bytes", 12_345_678, 999, 0.4567);
    assertThat(text.sentence(key))
        .isEqualTo(
            "New heavy hitter: source 192.0.2.1, 12.3 MB in 1 min (45.7% of all), 999 B before,"
                + " from 2023-11-14T22:13:20Z");
    assertThat(text.link(key))
        .isEqualTo(
            "http://localhost:8080/#explore?by=src_addr&filter=src_addr+%3D+%27192.0.2.1%27"
                + "&from=2023-11-14T22%3A08%3A20Z&to=2023-11-14T22%3A19%3A20Z");
    assertThat(new AlertText(null).link(key)).isNull();
  }

  @Test
  void aSentenceOmitsUnknownValues() {
    AlertRows.Key key =
        new AlertRows.Key(
            FROM,
            FROM + 9_999_999,
            "trend",
            "keyword",
            "rain",
            "count",
            7,
            TableBlock.NULL,
            Double.NaN);
    assertThat(new AlertText(null).sentence(key))
        .isEqualTo("New trend: keyword rain, 7 count in 10 s, from 2023-11-14T22:13:20Z");
  }
}
