package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import org.junit.jupiter.api.Test;

final class OptionalEnumParserTest {
    @Test
    void aNameIsReadAsTheCodeHasIt() {
        assertThat(OptionalEnumParser.byName(DayOfWeek.class, "MONDAY")).contains(DayOfWeek.MONDAY);
        assertThat(OptionalEnumParser.byName(DayOfWeek.class, "monday")).isEmpty();
        assertThat(OptionalEnumParser.byName(DayOfWeek.class, "SOMEDAY")).isEmpty();
    }

    @Test
    void aWordIsReadInSmallLettersAlone() {
        assertThat(OptionalEnumParser.byLowerCaseName(DayOfWeek.class, "monday"))
                .contains(DayOfWeek.MONDAY);
        assertThat(OptionalEnumParser.byLowerCaseName(DayOfWeek.class, "MONDAY")).isEmpty();
        assertThat(OptionalEnumParser.byLowerCaseName(DayOfWeek.class, "someday")).isEmpty();
    }
}
