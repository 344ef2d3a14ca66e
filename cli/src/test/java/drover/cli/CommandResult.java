package drover.cli;

import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import drover.cli.terminal.PollSleeper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What somebody typed, and what came of it.
 *
 * @param exitCode of the command
 * @param out what it printed
 * @param err what it complained about
 */
public record CommandResult(int exitCode, String out, String err) {
    /** The moment at which every test command runs. */
    public static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    public static CommandResult on(FakeDrover drover, String... words) {
        return on(drover.address(), OutputTraits.PLAIN, words);
    }

    public static CommandResult on(String address, OutputTraits terminal, String... words) {
        List<String> all = Stream.concat(Stream.of(words), Stream.of("--server", address)).toList();
        return exactly(terminal, all.toArray(String[]::new));
    }

    public static CommandResult in(
            Map<String, String> environment, FakeDrover drover, String... words) {
        List<String> all =
                Stream.concat(Stream.of(words), Stream.of("--server", drover.address())).toList();
        return exactly(OutputTraits.PLAIN, environment, all.toArray(String[]::new));
    }

    /** Stops the program at the hundredth poll, as an operator does with Ctrl-C. */
    private static final class StoppingDelay implements PollSleeper {
        private int polls;
        private Runnable onStop = () -> {};

        @Override
        public boolean await(Duration pause) {
            if (++polls == 100) {
                onStop.run();
            }
            return polls < 100;
        }

        @Override
        public StopRegistration onStop(Runnable action) {
            onStop = action;
            return () -> onStop = () -> {};
        }
    }

    static CommandResult exactly(OutputTraits terminal, String... words) {
        return exactly(terminal, Map.of(), words);
    }

    static CommandResult exactly(
            OutputTraits terminal, Map<String, String> environment, String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console =
                new Console(
                        new PrintWriter(out),
                        new PrintWriter(err),
                        terminal,
                        Clock.fixed(NOW, ZoneOffset.UTC),
                        new StoppingDelay(),
                        environment);
        int exitCode = DroverCli.execute(DroverCli.commandLine(console), words);
        return new CommandResult(exitCode, out.toString(), err.toString());
    }
}
