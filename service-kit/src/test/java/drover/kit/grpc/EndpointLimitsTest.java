package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.config.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EndpointLimitsTest {
    private static EndpointLimits read(String... arguments) {
        return EndpointLimits.ofAgents(
                Settings.read(
                        "gateway",
                        Stream.of(EndpointLimits.AGENT_SETTINGS, ConnectionLimits.AGENT_SETTINGS)
                                .flatMap(List::stream)
                                .toList(),
                        arguments,
                        Map.of()));
    }

    @Test
    void usesTheDefaultOfALimitThatIsNotSet() {
        assertThat(read()).isEqualTo(EndpointLimits.AGENTS);
    }

    /** The numbers of the design, written out: whoever changes one changes this too. */
    @Test
    void agentDefaultsAreThoseOfTheDesign() {
        EndpointLimits limits = EndpointLimits.AGENTS;
        assertThat(limits.maxMessageBytes()).as("256 KiB").isEqualTo(262_144);
        assertThat(limits.maxMetadataBytes()).as("8 KiB").isEqualTo(8_192);
        assertThat(limits.windowBytes()).as("64 KiB").isEqualTo(65_536);
        assertThat(limits.maxCalls()).isEqualTo(4);
        assertThat(limits.maxResets()).isEqualTo(100);
        assertThat(limits.resetInterval()).hasSeconds(60);
        assertThat(limits.minPingInterval()).hasSeconds(20);
        assertThat(limits.handshakeTimeout()).hasSeconds(10);
        ConnectionLimits connections = limits.connections();
        assertThat(connections.connectionsPerSecond()).isEqualTo(300);
        assertThat(connections.connectionsPerSecondPerSource()).isEqualTo(150);
        assertThat(connections.maxAge()).hasMinutes(45);
        assertThat(connections.grace()).hasSeconds(60);
        assertThat(connections.keepaliveTime()).hasSeconds(30);
        assertThat(connections.keepaliveTimeout()).hasSeconds(10);
    }

    @Test
    void operatorLimitsAreThoseOfTheDesign() {
        EndpointLimits limits = EndpointLimits.OPERATORS;
        assertThat(limits.maxMetadataBytes()).as("8 KiB").isEqualTo(8_192);
        assertThat(limits.maxCalls()).isEqualTo(64);
        assertThat(limits.maxResets()).isEqualTo(100);
        assertThat(limits.resetInterval()).hasSeconds(60);
        assertThat(limits.handshakeTimeout()).hasSeconds(10);
        assertThat(limits.connections().connectionsPerSecond()).isEqualTo(100);
        assertThat(limits.connections().connectionsPerSecondPerSource()).isEqualTo(50);
        assertThat(limits.connections().maxConnections()).isEqualTo(1_024);
        assertThat(limits.connections().idle()).hasMinutes(5);
    }

    @Test
    void enrollmentLimitsAreThoseOfTheDesign() {
        EndpointLimits limits = EndpointLimits.ENROLLMENT;
        assertThat(limits.maxMessageBytes()).as("16 KiB").isEqualTo(16_384);
        assertThat(limits.maxCalls()).isEqualTo(2);
        assertThat(limits.connections().connectionsPerSecond()).isEqualTo(20);
        assertThat(limits.connections().connectionsPerSecondPerSource()).isEqualTo(10);
    }

    @Test
    void connectionLimitsAreSettings() {
        String[] set = {
            "--max-dials",
            "7",
            "--max-dials-of-one",
            "5",
            "--max-age",
            "600",
            "--age-grace",
            "9",
            "--ask-after",
            "20",
            "--max-answer",
            "4"
        };
        assertThat(read(set).connections())
                .isEqualTo(
                        new ConnectionLimits(
                                7,
                                5,
                                Integer.MAX_VALUE,
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(9),
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(4)));
    }

    @Test
    void eachIsASetting() {
        assertThat(read("--max-calls", "9", "--min-ping", "25", "--max-resets", "7"))
                .satisfies(
                        limits -> {
                            assertThat(limits.maxCalls()).isEqualTo(9);
                            assertThat(limits.minPingInterval()).isEqualTo(Duration.ofSeconds(25));
                            assertThat(limits.maxResets()).isEqualTo(7);
                        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --max-message  | 1000 | --max-message is 1000, and no agent could work with that: write 65536 or more.
                    --max-metadata | 100  | --max-metadata is 100, and no agent could work with that: write 1024 or more.
                    --max-unread   | 1    | --max-unread is 1, and no agent could work with that: write 16384 or more.
                    --max-calls    | 1    | --max-calls is 1, and no agent could work with that: write 2 or more.
                    --min-ping     | 60   | --min-ping is 60: agents ping every 30 seconds; write 25 or less.
                    --ask-after    | 9    | --ask-after is 9, and no connection is asked so soon: write 10 or more.
                    --max-resets   | 0    | --max-resets is '0': write a whole number above 0.
                    --max-resets   | many | --max-resets is 'many': write a whole number above 0.
                    """)
    void refusesLimitsThatNoAgentCanWorkWith(String flag, String value, String sentence) {
        assertThatThrownBy(() -> read(flag, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence);
    }
}
