package drover.coordinator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import drover.kit.grpc.Refused;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageSizeParserTest {
    @ParameterizedTest
    @CsvSource({"0,50", "1,1", "1000,1000"})
    @DisplayName("0 is the default, every other size up to the largest is taken")
    void takesSizesUpToTheLargest(int requested, int size) {
        assertThat(PageSizeParser.parse("page_size", requested, 50, 1_000)).isEqualTo(size);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_001, -1, Integer.MIN_VALUE}) // a uint32 may be negative in Java
    void refusesOtherSizes(int requested) {
        assertThatExceptionOfType(Refused.class)
                .isThrownBy(() -> PageSizeParser.parse("page_size", requested, 50, 1_000))
                .withMessage("page_size is at most 1000; 0 is the default.");
    }

    @Test
    void namesTheFieldOfTheRequest() {
        assertThatExceptionOfType(Refused.class)
                .isThrownBy(() -> PageSizeParser.parse("limit", 1_001, 50, 1_000))
                .withMessage("limit is at most 1000; 0 is the default.")
                .satisfies(refused -> assertThat(refused.field()).isEqualTo("limit"));
    }
}
