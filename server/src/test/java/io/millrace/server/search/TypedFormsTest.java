package io.millrace.server.search;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypedFormsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          192.0.2.1       | address 192.0.2.1 #address/192.0.2.1
          2001:DB8::1     | address 2001:db8::1 #address/2001%3Adb8%3A%3A1
          192.0.2.0/24    | prefix 192.0.2.0/24 #prefix/192.0.2.0%2F24
          2001:db8::/33   | prefix 2001:db8::/33 #prefix/2001%3Adb8%3A%3A%2F33
          192.0.2.        | prefix 192.0.2.0/24 #prefix/192.0.2.0%2F24
          192.0           | prefix 192.0.0.0/8 #prefix/192.0.0.0%2F8
          as 64500        | as AS64500 #as/64500
          AS15169         | as AS15169 #as/15169
          443             | port 443 #port/443, as AS443 #as/443
          70000           | as AS70000 #as/70000
          udp             | protocol udp #explore?by=src_addr&filter=proto%20%3D%2017, protocol udplite #explore?by=src_addr&filter=proto%20%3D%20136
          https           | port 443 #port/443, port 8443 #port/8443
          """)
  void typedTextsHaveTheirPages(String typed, String expected) {
    assertThat(
            String.join(
                ", ",
                TypedForms.of(typed).stream()
                    .map(each -> each.kind() + " " + each.text() + " " + each.page())
                    .toList()))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"''", "300.1.", "192.0.2.0/33", "4294967296", "2001:db8::/129", "x", "-", "::1/"})
  void otherTextsHaveNoInterpretation(String typed) {
    assertThat(TypedForms.of(typed)).isEmpty();
  }
}
