package drover.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.kit.start.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AgentDoorLimitsTest {
    private static AgentDoorLimits read(String... arguments) {
        return AgentDoorLimits.of(
                Settings.read(
                        "gateway",
                        Stream.of(AgentDoorLimits.SETTINGS, ConnectionLimits.SETTINGS)
                                .flatMap(List::stream)
                                .toList(),
                        arguments,
                        Map.of()));
    }

    @Test
    void whatNobodySetsIsTheStandard() {
        assertThat(read()).isEqualTo(AgentDoorLimits.STANDARD);
    }

    /** The numbers of the design, written out: whoever changes one changes this too. */
    @Test
    void theStandardIsWhatTheDesignSays() {
        AgentDoorLimits limits = AgentDoorLimits.STANDARD;
        assertThat(limits.message()).as("256 KiB").isEqualTo(262_144);
        assertThat(limits.metadata()).as("8 KiB").isEqualTo(8_192);
        assertThat(limits.window()).as("64 KiB").isEqualTo(65_536);
        assertThat(limits.calls()).isEqualTo(4);
        assertThat(limits.resets()).isEqualTo(100);
        assertThat(limits.resetsWithin()).hasSeconds(60);
        assertThat(limits.pings()).hasSeconds(20);
        assertThat(limits.handshake()).hasSeconds(10);
        ConnectionLimits connections = limits.connections();
        assertThat(connections.dials()).isEqualTo(300);
        assertThat(connections.dialsOfOne()).isEqualTo(150);
        assertThat(connections.age()).hasMinutes(45);
        assertThat(connections.grace()).hasSeconds(60);
        assertThat(connections.asks()).hasSeconds(30);
        assertThat(connections.answers()).hasSeconds(10);
    }

    @Test
    void howConnectionsComeAndGoIsSettingsToo() {
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
                                Duration.ofMinutes(10),
                                Duration.ofSeconds(9),
                                Duration.ofSeconds(20),
                                Duration.ofSeconds(4)));
    }

    @Test
    void eachIsASetting() {
        assertThat(read("--max-calls", "9", "--min-ping", "25", "--max-resets", "7"))
                .satisfies(
                        limits -> {
                            assertThat(limits.calls()).isEqualTo(9);
                            assertThat(limits.pings()).isEqualTo(Duration.ofSeconds(25));
                            assertThat(limits.resets()).isEqualTo(7);
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
    void whatNoAgentCouldLiveWithIsRefused(String flag, String value, String sentence) {
        assertThatThrownBy(() -> read(flag, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(sentence);
    }
}
