package drover.coordinator.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventSinkFileLoaderTest {
    @TempDir private Path directory;

    @BeforeEach
    void aSecret() throws IOException {
        Files.writeString(directory.resolve("secret"), "0123456789abcdef0123\n");
        Files.writeString(directory.resolve("short"), "abc\n");
    }

    private List<EventSink> read(String yaml) throws IOException {
        return EventSinkFileLoader.readIfExists(
                Files.writeString(directory.resolve("events.yaml"), yaml));
    }

    @Test
    void readsTheReceivers() throws IOException {
        List<EventSink> sinks =
                read(
                        """
                        nats: { url: "nats://127.0.0.1:4222" }
                        webhooks:
                          - { name: pager, url: "https://example.test/x", secret_file: secret }
                          - { name: log, url: "http://127.0.0.1:9/", secret_file: secret, events: all }
                        """);
        assertThat(sinks)
                .extracting(EventSink::name, EventSink::kind)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("nats", "nats"),
                        org.assertj.core.groups.Tuple.tuple("pager", "webhook"),
                        org.assertj.core.groups.Tuple.tuple("log", "webhook"));
        sinks.forEach(EventSink::close);
    }

    @Test
    void theExampleThatPeopleCopyIsGood() throws IOException {
        Matcher example =
                Pattern.compile("## events.yaml.*?```yaml\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(Path.of("../docs/formats.md")));
        assertThat(example.find()).isTrue();
        Files.writeString(directory.resolve("drover.creds"), "made by the NATS server's own tool");
        Files.writeString(directory.resolve("pager.secret"), "0123456789abcdef0123");
        List<EventSink> sinks = read(example.group(1));
        assertThat(sinks).extracting(EventSink::name).containsExactly("nats", "pager");
        sinks.forEach(EventSink::close);
    }

    @Test
    void reportsNothingWithoutAFile() {
        assertThat(EventSinkFileLoader.readIfExists(directory.resolve("no-such-file"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka: x|has no field 'kafka'; there are nats, webhooks.",
                "nats: { url: 'http://x' }|nats.url must look like nats://host:4222",
                "nats: {}|the field 'url' is missing.",
                "webhooks: x|webhooks must be a list.",
                "webhooks: [{ name: A, url: 'https://x', secret_file: secret }]|a webhook's name",
                "webhooks: [{ name: a, url: 'http://example.test', secret_file: secret }]"
                        + "|the url of webhook a must begin with https://.",
                "webhooks: [{ name: a, url: 'https://x', secret_file: none }]"
                        + "|the secret of webhook a cannot be read",
                "webhooks: [{ name: a, url: 'https://x', secret_file: short }]"
                        + "|the secret of webhook a must have 16 bytes or more.",
                "webhooks: [{ name: nats, url: 'https://x', secret_file: secret }]"
                        + "|the name nats is given twice.",
                "webhooks: [{ name: a, url: 'https://x', secret_file: secret, events: some }]"
                        + "|events of webhook a are 'notifications' or 'all'.",
                "'['|it cannot be read"
            })
    void reportsWhatIsWrong(String yaml, String sentence) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("Look at " + directory)
                .hasMessageContaining(sentence);
    }
}
