package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import org.junit.jupiter.api.Test;

final class EnumParserTest {
    @Test
    void aNameIsReadAsTheCodeHasIt() {
        assertThat(EnumParser.byName(DayOfWeek.class, "MONDAY")).contains(DayOfWeek.MONDAY);
        assertThat(EnumParser.byName(DayOfWeek.class, "monday")).isEmpty();
        assertThat(EnumParser.byName(DayOfWeek.class, "SOMEDAY")).isEmpty();
    }

    @Test
    void aWordIsReadInSmallLettersAlone() {
        assertThat(EnumParser.byLowerCaseName(DayOfWeek.class, "monday"))
                .contains(DayOfWeek.MONDAY);
        assertThat(EnumParser.byLowerCaseName(DayOfWeek.class, "MONDAY")).isEmpty();
        assertThat(EnumParser.byLowerCaseName(DayOfWeek.class, "someday")).isEmpty();
    }
}
