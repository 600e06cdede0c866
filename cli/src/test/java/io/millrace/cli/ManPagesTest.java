package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class ManPagesTest {
  private static final Map<String, String> PAGES = ManPages.all();

  @Test
  void eachCommandHasAPageWithItsOptions() {
    check(new CommandLine(new MillraceCommand()));
    assertThat(PAGES).containsKeys("millrace", "millrace-top", "millrace-cluster-start");
  }

  private static void check(CommandLine command) {
    String page = PAGES.get(command.getCommandSpec().qualifiedName("-"));
    for (OptionSpec option : command.getCommandSpec().options()) {
      assertThat(page).contains(option.longestName().replace("-", "\\-"));
    }
    command.getSubcommands().values().forEach(ManPagesTest::check);
  }

  @Test
  void aPageHasTheTextOfTheHelp() {
    assertThat(PAGES.get("millrace-top"))
        .startsWith(".TH \"MILLRACE\\-TOP\" 1 \"\" Millrace\n.SH NAME\nmillrace\\-top \\- ")
        .contains(".SH SYNOPSIS\n.nf\nmillrace top [\\-hV]")
        .contains(".TP\n.B [DIMENSION...]\nColumns to group by.\n")
        .contains("the largest 5% are") // no format specifiers of the help are left
        .contains("\n.nf\n  millrace top as\n")
        .contains("millrace(1)");
  }

  @Test
  void textIsEscapedFromRoffRequests() {
    for (String page : PAGES.values()) {
      assertThat(page.lines().filter(line -> line.startsWith(".") || line.startsWith("'")))
          .allMatch(line -> line.matches("\\.(TH|SH|TP|PP|nf|fi|B)( .*)?"));
    }
  }
}
