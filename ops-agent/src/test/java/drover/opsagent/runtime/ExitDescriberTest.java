package drover.opsagent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitDescriberTest {
    @ParameterizedTest
    @CsvSource({
        "0, with exit code 0",
        "3, with exit code 3",
        "128, with exit code 128",
        "137, by SIGKILL",
        "139, by SIGSEGV",
        "158, by signal 30",
        "255, with exit code 255"
    })
    void exitCodesAndSignalsAreNamed(int code, String expected) {
        assertThat(ExitDescriber.describe(OptionalInt.of(code), "bye"))
                .isEqualTo(expected + " (last line: \"bye\")");
    }

    @Test
    void anUnknownExitCodeIsNamed() {
        assertThat(ExitDescriber.describe(OptionalInt.empty(), ""))
                .isEqualTo("with an unknown exit code (it printed nothing)");
    }

    @Test
    void theLastLineThatIsNotBlankIsQuotedWithoutControlCharacters() {
        assertThat(ExitDescriber.describeLastLine("first\n\u001b[31mport 80\tin use\u0007\n \n\n"))
                .isEqualTo("last line: \"[31mport 80 in use\"");
    }

    @Test
    void aLongLineIsCut() {
        assertThat(ExitDescriber.describeLastLine("x".repeat(5_000)))
                .isEqualTo("last line: \"" + "x".repeat(300) + "…\"");
    }
}
