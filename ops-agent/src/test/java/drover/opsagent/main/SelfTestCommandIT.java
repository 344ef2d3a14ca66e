package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Seed 001, Verifying: what the agent's jar says of itself before anything depends on it. */
class SelfTestCommandIT extends HandoverNode {
    /** What Java says, and the log. */
    private static final String OTHERS = "WARNING: .*|.* (INFO|DEBUG|WARN) .*";

    @Test
    @DisplayName("--self-test: ok, or what is wrong in one sentence and an exit code of its own")
    void reportsTheProblemInOneSentence() throws Exception {
        AgentJars.healthy(agents.jar("v1.0.0"), "1.0.0+first");
        assertThat(tested(control.address())).isEqualTo("0: 1.0.0+first ok");

        control.refuses = true;
        assertThat(tested(control.address()))
                .startsWith("1: No gateway takes this agent: " + control.address() + " refused: ")
                .contains("UNAUTHENTICATED", HandoverGateway.UNKNOWN_TOKEN);
        control.refuses = false;

        assertThat(tested("127.0.0.1:1"))
                .startsWith("1: No gateway takes this agent: 127.0.0.1:1 refused: UNAVAILABLE")
                .endsWith(".");

        Path policy = Files.writeString(directory.resolve("policy.json"), "{\"roots\": 7}");
        assertThat(tested(control.address(), "--policy", policy.toString()))
                .startsWith("2: The policy ")
                .contains(policy.toString());
        assertThat(agents.executors()).as("it has taken no lock").isEmpty();
        assertThat(state.resolve("executor.lock")).doesNotExist();
    }

    /** Its exit code and all that it says to a person; a log is for others. */
    private String tested(String gateway, String... more) {
        String message =
                agents.run(
                        "v1.0.0",
                        flags(
                                List.of(
                                        "--gateway",
                                        gateway,
                                        "--state",
                                        state.toString(),
                                        "--root",
                                        root.toString(),
                                        "--token-file",
                                        directory.resolve("token").toString()),
                                List.of(more)));
        int code = message.indexOf(": ");
        List<String> lines =
                message.substring(code + 2)
                        .lines()
                        .filter(line -> !line.isBlank() && !line.matches(OTHERS))
                        .toList();
        assertThat(lines).as("one sentence of %s", message).hasSize(1);
        return message.substring(0, code) + ": " + lines.getFirst();
    }

    private static String[] flags(List<String> usual, List<String> more) {
        List<String> all = new ArrayList<>(List.of("--self-test", "--allow-local"));
        all.addAll(usual);
        all.addAll(more);
        return all.toArray(String[]::new);
    }
}
