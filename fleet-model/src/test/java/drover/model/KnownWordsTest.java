package drover.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.DayOfWeek;
import org.junit.jupiter.api.Test;

final class KnownWordsTest {
    @Test
    void aNameIsReadAsTheCodeHasIt() {
        assertThat(KnownWords.byName(DayOfWeek.class, "MONDAY")).contains(DayOfWeek.MONDAY);
        assertThat(KnownWords.byName(DayOfWeek.class, "monday")).isEmpty();
        assertThat(KnownWords.byName(DayOfWeek.class, "SOMEDAY")).isEmpty();
    }

    @Test
    void aWordIsReadInSmallLettersAlone() {
        assertThat(KnownWords.byWord(DayOfWeek.class, "monday")).contains(DayOfWeek.MONDAY);
        assertThat(KnownWords.byWord(DayOfWeek.class, "MONDAY")).isEmpty();
        assertThat(KnownWords.byWord(DayOfWeek.class, "someday")).isEmpty();
    }
}
