package drover.opsagent.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.cluster.ClusterReport;
import drover.model.cluster.ClusterRole;
import drover.model.cluster.ReplicationLag;
import drover.model.cluster.StopSafety;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reports as drivers print them. */
class ClusterReportParserTest {
    static final String VALID =
            """
            {"cluster": "c1", "member": "m-2", "role": "follower", "voter": true, "term": 7,\
             "voters": ["m-1", "m-2", "m-3"], "healthy_voters": ["m-1", "m-2"],\
             "lag": {"value": 3, "unit": "entries", "ok": true}, "cluster_version": "3.5",\
             "safe_to_stop": "no", "reason": "m-3 is down."}
            """;

    private static ClusterReport parse(String text) {
        return ClusterReportParser.parse(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void readsEveryField() {
        assertThat(parse(VALID))
                .isEqualTo(
                        new ClusterReport(
                                "c1",
                                "m-2",
                                ClusterRole.FOLLOWER,
                                true,
                                7,
                                List.of("m-1", "m-2", "m-3"),
                                List.of("m-1", "m-2"),
                                new ReplicationLag(3, "entries", true),
                                "3.5",
                                StopSafety.NO,
                                "m-3 is down."));
    }

    @Test
    void ignoresFieldsOfLaterContracts() {
        assertThat(parse(VALID.replace("{\"cluster\"", "{\"zone\": [1, null], \"cluster\"")))
                .isEqualTo(parse(VALID));
    }

    @Test
    void acceptsAReportWithoutVersionAndReason() {
        String text =
                VALID.replace(", \"cluster_version\": \"3.5\"", "")
                        .replace("\"no\", \"reason\": \"m-3 is down.\"", "\"yes\"");
        assertThat(parse(text).reason()).isEmpty();
        assertThat(parse(text).clusterVersion()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cluster",
                "member",
                "role",
                "voter",
                "term",
                "voters",
                "healthy_voters",
                "lag",
                "safe_to_stop"
            })
    void rejectsAReportThatLacksAField(String field) {
        assertThatThrownBy(() -> parse(VALID.replace("\"" + field + "\":", "\"x\":")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The report is rejected: " + field);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "\"follower\"; \"boss\"; role must be one of leader, follower, learner, alone",
                "\"follower\"; \"FOLLOWER\"; role must be one of",
                "\"role\"; \"voter\"; uplicate",
                "true, \"term\"; \"true\", \"term\"; voter is missing, or neither true nor false",
                "7; \"7\"; term is missing or no whole number",
                "7; 7.5; term is missing or no whole number",
                "7; 99999999999999999999; term is missing or no whole number",
                "entries; \u202e; lag.unit must be at most 32 characters without control characters",
                "7; -1; term must be 0 or more",
                "\"m-3\"]; 3]; voters has an element that is no text",
                "{\"value\": 3; {\"value\": null; lag.value is missing",
                "\"no\"; \"maybe\"; safe_to_stop must be one of yes, no, unknown",
                "m-3 is down.; ; reason is empty",
                "\"m-3 is down.\"; null; reason is missing or no text",
                "}}; }; not valid JSON",
                "\"reason\": \"m-3 is down.\"}; \"reason\": \"m-3 is down.\"} {}; not valid JSON"
            })
    void rejectsAWrongValueWithOneSentence(String from, String to, String message) {
        String text = VALID.replace(from, to == null ? "" : to);
        if (from.equals("}}")) {
            text = VALID.replace("}\n", "\n");
        }
        String changed = text;
        assertThat(changed).isNotEqualTo(VALID);
        assertThatThrownBy(() -> parse(changed))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .extracting(Throwable::getMessage)
                .asString()
                .endsWith(".")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "; The report is empty",
                "[]; The report is no JSON object",
                "garbage; The report is not valid JSON",
                "{}\\n{}; The report has several lines"
            })
    void rejectsWhatIsNoLineOfJson(String text, String message) {
        String written = text == null ? "" : text.replace("\\n", "\n");
        assertThatThrownBy(() -> parse(written)).hasMessageContaining(message);
    }

    @Test
    void rejectsOversizedAndMisencodedReports() {
        assertThatThrownBy(() -> parse(VALID + " ".repeat(4097)))
                .hasMessage("The report exceeds 4096 bytes.");
        assertThatThrownBy(() -> ClusterReportParser.parse(new byte[] {'{', (byte) 0xff, '}'}))
                .hasMessage("The report is not UTF-8.");
    }
}
