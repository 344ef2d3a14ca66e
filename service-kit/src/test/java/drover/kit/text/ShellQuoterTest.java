package drover.kit.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellQuoterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "/var/lib/drover-1.2_x | /var/lib/drover-1.2_x",
                "/home/josé/東京 | /home/josé/東京",
                "my fleet | 'my fleet'",
                "$HOME | '$HOME'",
                "a#b;c | 'a#b;c'",
                "~x | '~x'",
                "it's | 'it'\\''s'",
                "\"\" | ''"
            })
    void quotesOnlyWhatAShellDoesNotReadAsOneWord(String text, String word) {
        assertThat(ShellWord.of(text)).isEqualTo(word);
    }
}
