package io.millrace.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MediaTypesTest {
  private static final List<String> OFFERED =
      List.of(MediaTypes.JSON, MediaTypes.CSV, MediaTypes.ARROW);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "none | application/json",
        "*/* | application/json",
        "text/csv | text/csv",
        "TEXT/CSV; charset=utf-8 | text/csv",
        "text/* | text/csv",
        "application/* | application/json",
        "application/vnd.apache.arrow.stream | application/vnd.apache.arrow.stream",
        "text/csv;q=0.5, application/json | application/json",
        "text/csv, application/json;q=0.9 | text/csv",
        "*/*;q=0.1, text/csv | text/csv",
        "application/json;q=0, */* | text/csv",
        "text/html, application/xhtml+xml, */*;q=0.8 | application/json",
        "text/html | none",
        "application/json;q=0 | none",
        "text/csv;q=often | none",
        ", ;, | none",
      })
  void thePreferredMediaTypeIsChosen(String accept, String chosen) {
    assertThat(MediaTypes.choose(accept, OFFERED).orElse(null)).isEqualTo(chosen);
  }
}
