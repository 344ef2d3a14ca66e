package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import org.junit.jupiter.api.Test;

final class LenientEnumParserTest {
    @Test
    void aNameIsReadAsTheCodeHasIt() {
        assertThat(LenientEnumParser.byName(DayOfWeek.class, "MONDAY")).contains(DayOfWeek.MONDAY);
        assertThat(LenientEnumParser.byName(DayOfWeek.class, "monday")).isEmpty();
        assertThat(LenientEnumParser.byName(DayOfWeek.class, "SOMEDAY")).isEmpty();
    }

    @Test
    void aWordIsReadInSmallLettersAlone() {
        assertThat(LenientEnumParser.byLowerCaseName(DayOfWeek.class, "monday"))
                .contains(DayOfWeek.MONDAY);
        assertThat(LenientEnumParser.byLowerCaseName(DayOfWeek.class, "MONDAY")).isEmpty();
        assertThat(LenientEnumParser.byLowerCaseName(DayOfWeek.class, "someday")).isEmpty();
    }
}
