package drover.model.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Text of untrusted sources as one line. */
class PrintableLineTest {
    @Test
    void replacesControlAndFormatCharacters() {
        assertThat(PrintableLine.of(" a\nb\u001bc\u009bd\u202ee\u2066f\u200fg\u2028h\ud800i é "))
                .isEqualTo("a b c d e f g h i é");
    }

    @Test
    void cutsLongTextBetweenCharacters() {
        assertThat(PrintableLine.of("x".repeat(513))).hasSize(512);
        assertThat(PrintableLine.of("x".repeat(511) + "\ud83d\ude00y")).isEqualTo("x".repeat(511));
        assertThat(PrintableLine.of("")).isEmpty();
    }
}
