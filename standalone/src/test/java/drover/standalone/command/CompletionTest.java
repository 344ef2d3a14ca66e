package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.Console;
import drover.cli.DroverCommand;
import drover.cli.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionTest {
    @TempDir Path folder;

    @Test
    void bashCompletesCommandsOfEveryDepthAndOptions() throws Exception {
        assertThat(completed("drover", "")).contains("rollout", "node", "doctor", "completion");
        assertThat(completed("drover", "rollout", "pau")).containsExactly("pause");
        assertThat(completed("drover", "node", "list", "--ch")).containsExactly("--chain");
        assertThat(completed("drover", "up", "--no")).containsExactly("--nodes");
        assertThat(completed("drover", "completion", "")).contains("bash", "zsh", "fish");
    }

    @Test
    void zshTakesBashsThroughItsOwnSupport() {
        assertThat(printed("completion", "zsh")).contains("bashcompinit", "compinit");
    }

    @Test
    void fishHasARuleForEveryCommandAndOption() {
        assertThat(printed("completion", "fish"))
                .contains("complete -c drover -n '__fish_use_subcommand' -a rollout ")
                .contains("-n '__fish_seen_subcommand_from rollout; and not")
                .contains("complete -c drover -n '__fish_seen_subcommand_from up' -l nodes -x ")
                .contains("complete -c drover -l server -x ");
    }

    @Test
    void localCommandsTakeTheOptionsOfAllAsTheyAreTyped() {
        assertThat(printed("schema", "chain-profile", "--output", "json"))
                .contains("urn:drover:schema:chain-profile");
    }

    @Test
    void fishUnderstandsItsRules() throws Exception {
        Assumptions.assumeTrue(has("fish"), "fish is not installed");
        Path script =
                Files.writeString(folder.resolve("drover.fish"), printed("completion", "fish"));

        String answer =
                ran("fish", "-c", "source " + script + "; complete -C 'drover rollout pau'");

        assertThat(answer).startsWith("pause");
    }

    /**
     * What bash offers for these words, the last of which is being typed. Outside of a terminal
     * there is no compopt, which only says how an answer is shown.
     */
    private List<String> completed(String... words) throws Exception {
        Assumptions.assumeTrue(has("bash"), "bash is not installed");
        Path script =
                Files.writeString(folder.resolve("drover.bash"), printed("completion", "bash"));
        String typed = "'" + String.join("' '", words) + "'";
        String answer =
                ran(
                        "bash",
                        "-c",
                        ". %s; compopt() { :; }; COMP_WORDS=(%s); COMP_CWORD=%d; _complete_drover; printf '%%s\\n' \"${COMPREPLY[@]}\""
                                .formatted(script, typed, words.length - 1));
        return answer.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    private static String printed(String... arguments) {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out);
        int exitCode =
                LocalCommands.addTo(
                                DroverCommand.commandLine(
                                        Console.of(writer, writer, Terminal.PLAIN)))
                        .execute(arguments);
        assertThat(exitCode).as(out.toString()).isZero();
        return out.toString();
    }

    private static boolean has(String shell) throws Exception {
        try {
            ran(shell, "-c", "true");
            return true;
        } catch (IOException e) {
            return false; // not on the path
        }
    }

    private static String ran(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
