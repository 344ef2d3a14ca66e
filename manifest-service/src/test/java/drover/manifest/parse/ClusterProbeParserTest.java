package drover.manifest.parse;

import static org.assertj.core.api.Assertions.assertThat;

import drover.manifest.document.ProblemCode;
import drover.manifest.document.ValidationProblem;
import drover.model.NodePath;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The block {@code cluster} of a program. */
class ClusterProbeParserTest {
    private static final String TLS =
            "driver: etcd, endpoint: \"https://{{ .node_id }}:2379\", interval: 10s, ca: /ca.pem,"
                    + " cert: /cert.pem, key: /key.pem, user_file: /user";

    private static String profile(String fields) {
        return """
            runtime: { type: process }
            programs:
              - name: app
                path: /bin/app
                cluster: { %s }
            """
                .formatted(fields);
    }

    private static ClusterProbeTemplate parse(String fields) {
        return ProfileParserTest.good(profile(fields))
                .programs()
                .getFirst()
                .cluster()
                .orElseThrow();
    }

    @Test
    void readsEveryField() {
        assertThat(parse(TLS))
                .isEqualTo(
                        new ClusterProbeTemplate(
                                "etcd",
                                "https://{{ .node_id }}:2379",
                                Duration.ofSeconds(10),
                                Optional.of(new NodePath("/ca.pem")),
                                Optional.of(new NodePath("/cert.pem")),
                                Optional.of(new NodePath("/key.pem")),
                                Optional.of(new NodePath("/user"))));
    }

    @Test
    void anExecutableMayKnowItsMember() {
        ClusterProbeTemplate probe = parse("driver: /opt/app/driver");

        assertThat(probe.driver()).isEqualTo("/opt/app/driver");
        assertThat(probe.endpoint()).isEmpty();
        assertThat(probe.interval()).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aProgramWithoutTheBlockIsNoMember() {
        String profile = profile("driver: /x").replaceAll("(?m)^.*cluster:.*\n", "");
        assertThat(ProfileParserTest.good(profile).programs().getFirst().cluster()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "endpoint: 'http://a:1'                              | driver    | MISSING_FIELD",
                "driver: consul, endpoint: 'http://a:1'              | driver    | MALFORMED_NAME",
                "driver: bin/driver                                  | driver    | MALFORMED_NAME",
                "driver: /opt/../driver                              | driver    | MALFORMED_NAME",
                "driver: Etcd, endpoint: 'http://a:1', ca: /ca.pem   | driver    | MALFORMED_NAME",
                "driver: etcd                                        | endpoint  | MISSING_FIELD",
                "driver: etcd, endpoint: 'a:1'                       | endpoint  | MALFORMED_URL",
                "driver: etcd, endpoint: 'ftp://a:1'                 | endpoint  | MALFORMED_URL",
                "driver: etcd, endpoint: 'http://root:secret@a:1'    | endpoint  | MALFORMED_URL",
                "driver: etcd, endpoint: 'http://a:1/v3'             | endpoint  | MALFORMED_URL",
                "driver: etcd, endpoint: 'http://a:1?secret'         | endpoint  | MALFORMED_URL",
                "driver: etcd, endpoint: 'http://{{ .a'              | endpoint  | TEMPLATE_INVALID",
                "driver: /d, interval: 999ms                         | interval  | NOT_A_DURATION",
                "driver: /d, interval: 61s                           | interval  | NOT_A_DURATION",
                "driver: /d, interval: 5                             | interval  | NOT_A_DURATION",
                "driver: /d, probe: x                                | probe     | UNKNOWN_KEY",
                "driver: /d, ca: /ca.pem                             | ca        | UNKNOWN_KEY",
                "driver: /d, user_file: /user                        | user_file | UNKNOWN_KEY",
                "driver: etcd, endpoint: 'http://a:1', ca: ca.pem    | ca        | MALFORMED_NAME",
                "driver: etcd, endpoint: 'http://a:1', user_file: ~/u| user_file | MALFORMED_NAME",
                "driver: etcd, endpoint: 'http://a:1', cert: /c      | ''        | MISSING_FIELD",
                "driver: etcd, endpoint: 'http://a:1', ca: /a, key: /k | ''      | MISSING_FIELD",
                "driver: etcd, endpoint: 'http://a:1', cert: /c, key: /k | ''    | MISSING_FIELD",
            })
    void refusesWithOneSentenceAndTheLine(String fields, String key, ProblemCode code) {
        List<ValidationProblem> problems = ProfileParserTest.parse(profile(fields)).problems();

        String path = "programs[0].cluster" + (key.isEmpty() ? "" : "." + key);
        assertThat(problems)
                .singleElement()
                .satisfies(
                        problem -> {
                            assertThat(problem.code()).isEqualTo(code);
                            assertThat(problem.location().path()).isEqualTo(path);
                            assertThat(problem.location().line()).isEqualTo(5);
                            assertThat(problem.message())
                                    .containsPattern("[.](?: \\(.*\\))?$")
                                    .doesNotContain("secret");
                        });
    }

    @Test
    void refusesABlockThatIsNoMapping() {
        String profile = profile("driver: /d").replaceAll("\\{ driver.*", "etcd");

        assertThat(ProfileParserTest.parse(profile).problems())
                .extracting(ValidationProblem::code)
                .contains(ProblemCode.WRONG_TYPE);
    }
}
