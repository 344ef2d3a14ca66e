package drover.opsagent.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedirectLocationParserTest {
    private static final URI FROM = URI.create("http://h:8080/a/b?x=1");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://o/c | https://o/c",
                "HTTPS://o/c | https://o/c",
                "/c | http://h:8080/c",
                "c | http://h:8080/a/c",
                "?y=2 | http://h:8080/a/b?y=2",
                "//o/c | http://o/c",
                "/with space/ü?q=a b | http://h:8080/with%20space/%C3%BC?q=a%20b",
                "/c?sig=a%2Bb%2Fc%3D+~ | http://h:8080/c?sig=a%2Bb%2Fc%3D+~",
                "/c[1]{2}|http://h:8080/c%5B1%5D%7B2%7D",
                "/50%|http://h:8080/50%25",
                "/c#fragment | http://h:8080/c",
                "http://[::1]:9/c | http://[::1]:9/c"
            })
    void resolvesAsBrowsersDo(String location, String address) {
        String asTheJdkReadsIt =
                new String(location.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        assertThat(RedirectLocationParser.resolve(FROM, asTheJdkReadsIt)).hasToString(address);
    }

    @Test
    void resolvesAgainstAHostWithoutPath() {
        assertThat(RedirectLocationParser.resolve(URI.create("http://h"), "c"))
                .hasToString("http://h/c");
    }

    @Test
    void namesTheRedirectWhenItIsMalformed() {
        assertThatExceptionOfType(FetchFailed.class)
                .isThrownBy(() -> RedirectLocationParser.resolve(FROM, "http://[x/c"))
                .withMessageStartingWith("http://h:8080/a/b redirects to a text that is not");
    }
}
