package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.system.fixture.Waits;
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

class CompletionCommandTest {
    /**
     * A terminal with an interactive zsh: types each argument after the first and a tab, and prints
     * what the line has become.
     */
    private static final String ZSH_TERMINAL =
            """
            zmodload zsh/zpty
            zpty z "TERM=dumb zsh -f -i"
            zpty -w z "bindkey -e
            shown() { print -r -- \\"LINE<\\$BUFFER>E\\"ND; BUFFER= }
            zle -N shown
            bindkey '^Y' shown
            autoload -Uz compinit
            compinit -u -D
            source $1
            print REA''DY"
            zpty -r -m z out '*READY*' || exit 1
            shift
            for typed; do
              zpty -n -w z "$typed"$'\\t\\C-Y'
              zpty -r -m z out '*>END*' || exit 1
              print -r -- "${${out##*LINE<}%%>END*}"
            done
            zpty -d z
            """;

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
    void zshCompletesWhatIsTyped() throws Exception {
        Assumptions.assumeTrue(has("zsh"), "zsh is not installed");
        Path script = Files.writeString(folder.resolve("drover.zsh"), printed("completion", "zsh"));
        Path terminal = Files.writeString(folder.resolve("terminal.zsh"), ZSH_TERMINAL);

        String answer =
                ran(
                        "zsh",
                        "-f",
                        terminal.toString(),
                        script.toString(),
                        "drover rollout pau",
                        "./drover node list --ch",
                        "drover up --no",
                        "drover up --config " + folder.resolve("term"),
                        "drover rollout list --output j",
                        "drover completion z");

        assertThat(answer.lines().map(String::strip))
                .containsExactly(
                        "drover rollout pause",
                        "./drover node list --chain",
                        "drover up --nodes",
                        "drover up --config " + terminal,
                        "drover rollout list --output json",
                        "drover completion zsh");
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

        assertThat(fish(script, "./drover rollout pau")).containsExactly("pause");
        assertThat(fish(script, "drover node list --ch")).containsExactly("--chain");
        assertThat(fish(script, "drover up --no")).containsExactly("--nodes");
        assertThat(fish(script, "drover up --config " + folder.resolve("dro")))
                .containsExactly(script.toString());
        assertThat(fish(script, "drover rollout list --output j")).containsExactly("json");
        assertThat(fish(script, "drover completion ")).containsExactly("bash", "fish", "zsh");
    }

    /** What fish offers for a line that is being typed. */
    private static List<String> fish(Path script, String typed) throws Exception {
        return ran(
                        "fish",
                        "--no-config",
                        "-c",
                        "source " + script + "; complete -C '" + typed + "'")
                .lines()
                .map(line -> line.split("\t", 2)[0])
                .sorted()
                .toList();
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
                                DroverCli.commandLine(
                                        Console.of(writer, writer, OutputTraits.PLAIN)))
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
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return output;
    }
}
