package drover.cli;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.terminal.CommandFailed;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class UsageTest {
    private static final String NOWHERE = "127.0.0.1:1";

    @ParameterizedTest
    @CsvSource(
            delimiter = '>',
            value = {
                "rolout list>'drover' has no command 'rolout'; did you mean 'rollout'?",
                "rollout strat x>'drover rollout' has no command 'strat'; did you mean 'start'?",
                "rollout list --activ>'drover rollout list' has no option '--activ'; did you mean"
                        + " '--active'?",
                "rollout list --zzzzzz>'drover rollout list' has no option '--zzzzzz'.",
                "node show a b>'drover node show' takes no 'b' as well.",
            },
            quoteCharacter = '"')
    void namesTheNearestCommandOrOption(String typed, String sentence) {
        CommandResult answer = CommandResult.exactly(OutputTraits.PLAIN, typed.split(" ", -1));
        assertThat(answer.exitCode()).isEqualTo(2);
        assertThat(answer.err().lines().findFirst().orElse("")).isEqualTo(sentence);
    }

    /** B18: Java has replaced the bytes that it could not decode. */
    @Test
    void rejectsAnArgumentThatJavaCouldNotDecode() {
        CommandResult result =
                CommandResult.exactly(
                        OutputTraits.PLAIN,
                        "rollout",
                        "pause",
                        "r-1",
                        "--reason",
                        "Pr\uFFFD\uFFFDf");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err())
                .hasLineCount(1)
                .startsWith("The argument 'Pr??f' cannot be read in the encoding of this terminal")
                .contains("set LC_ALL=C.UTF-8");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "rollout",
                "rollout show",
                "rollout create --chain c",
                "rollout create --chain c --from v1 --strategy rollling",
                "rollout create --chain c --from v1 --strategy rolling --batch-size many",
                "rollout create --chain c --from v1 --strategy rolling --batch-size -1",
                "rollout create --chain c --from v1 --strategy rolling --config /etc/a",
                "rollout create --chain c --from v1 --strategy rolling --health-wait soon",
                "rollout list --output xml",
                "rollout list --status Running",
                "rollout list --server nowhere",
                "rollout list --server 127.0.0.1:99999",
            })
    void refusesWhatItDoesNotUnderstandInWords(String typed) {
        String[] words = typed.isEmpty() ? new String[0] : typed.split(" ", -1);
        CommandResult answer = CommandResult.exactly(OutputTraits.PLAIN, words);
        assertThat(answer.exitCode()).as(answer.err()).isEqualTo(2);
        assertThat(answer.out()).isEmpty();
        assertThat(answer.err()).isNotBlank().doesNotContain("Exception").doesNotContain("\tat ");
    }

    @Test
    void listsTheWordsThatAnOptionTakes() {
        assertThat(
                        CommandResult.exactly(
                                        OutputTraits.PLAIN,
                                        "rollout",
                                        "list",
                                        "--status",
                                        "Running")
                                .err())
                .isEqualTo(
                        "--status does not take 'Running'; write one of pending, running,"
                                + " awaiting_approval, paused, cancelling, rolling_back, completed,"
                                + " failed, cancelled, rolled_back.\n");
    }

    @Test
    void describesTheRemedyOfAnUnreachableServer() throws IOException {
        String address;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = "127.0.0.1:" + socket.getLocalPort(); // closed again: nobody listens
        }
        CommandResult typed = CommandResult.on(address, OutputTraits.PLAIN, "rollout", "list");
        assertThat(typed.exitCode()).isEqualTo(3);
        assertThat(typed.err())
                .isEqualTo(
                        "No Drover answers at "
                                + address
                                + ". Start one with './drover up' or name another with --server.\n");
    }

    @Test
    void describesTheRemedyOfAPlainEndpoint() throws Exception {
        try (ServerSocket plain = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            String address = "https://127.0.0.1:" + plain.getLocalPort();
            Thread answering = Thread.ofVirtual().start(() -> answerPlainly(plain));
            CommandResult typed = CommandResult.on(address, OutputTraits.PLAIN, "rollout", "list");
            answering.interrupt();
            assertThat(typed.exitCode()).isEqualTo(3);
            assertThat(typed.err())
                    .contains("does not prove that it is this host")
                    .endsWith("; or leave --ca and https:// away if it speaks no TLS.\n");
        }
    }

    /** The beginning of HTTP/2, whatever is said. */
    private static void answerPlainly(ServerSocket server) {
        try {
            while (!Thread.interrupted()) {
                try (Socket caller = server.accept()) {
                    caller.getOutputStream().write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0});
                    caller.getOutputStream().flush();
                    var _ = caller.getInputStream().read();
                }
            }
        } catch (IOException e) {
            // the door was closed: the test is over
        }
    }

    @Test
    void takesGlobalOptionsBeforeAndAfterTheCommand() {
        assertThat(
                        CommandResult.exactly(
                                        OutputTraits.PLAIN, "--server", NOWHERE, "node", "list")
                                .exitCode())
                .isEqualTo(3);
        assertThat(
                        CommandResult.exactly(
                                        OutputTraits.PLAIN, "node", "list", "--server", NOWHERE)
                                .exitCode())
                .isEqualTo(3);
    }

    @Test
    void takesTheCommandsOfALargerProgram() {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line =
                DroverCli.commandLine(
                        Console.of(new PrintWriter(out), new PrintWriter(err), OutputTraits.PLAIN));
        line.addSubcommand("up", new Up());
        assertThat(line.execute("up", "--server", NOWHERE)).isEqualTo(1);
        assertThat(err.toString()).isEqualTo("The port is taken. Choose another.\n");
        assertThat(line.execute("upp")).isEqualTo(2);
        assertThat(err.toString()).contains("did you mean 'up'?");
    }

    /** A command from elsewhere. */
    @CommandLine.Command
    static final class Up implements Callable<Integer> {
        @Override
        public Integer call() {
            throw CommandFailed.refused("The port is taken. Choose another.");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"--help", "rollout --help", "rollout create --help", "rollout start -h"})
    void explainsItself(String typed) {
        CommandResult answer = CommandResult.exactly(OutputTraits.PLAIN, typed.split(" ", -1));
        assertThat(answer.exitCode()).isZero();
        assertThat(answer.out()).contains("Usage: drover").contains("--server");
    }
}
