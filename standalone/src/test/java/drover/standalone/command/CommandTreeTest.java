package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.DroverCli;
import drover.cli.terminal.Console;
import drover.cli.terminal.OutputTraits;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Whatever is in the tree of commands explains itself. */
class CommandTreeTest {
    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasHelpWithADescription(List<String> path) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> typed = new ArrayList<>(path);
        typed.add("--help");

        int exitCode = tree(out, err).execute(typed.toArray(String[]::new));

        assertThat(exitCode).isZero();
        assertThat(err.toString()).isEmpty();
        assertThat(out.toString()).startsWith("Usage: " + named(path)).contains("--server");
        assertThat(command(path).getCommandSpec().usageMessage().description())
                .as("what %s does", named(path))
                .isNotEmpty();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyOptionHasADescriptionAndDefault(List<String> path) {
        for (ArgSpec argument : command(path).getCommandSpec().args()) {
            String what = named(path) + " " + label(argument);
            String message = String.join(" ", argument.description());
            assertThat(message).as(what).isNotBlank();
            if (hasDefault(argument)) {
                assertThat(message).as(what).containsIgnoringCase("default");
            }
            if (hasDefault(argument) && !message.contains("$")) { // the environment may say another
                assertThat(message).as(what).contains(defaultOf(argument));
            }
        }
    }

    @Test
    void theTreeIsTheWholeOne() {
        assertThat(commands())
                .contains(List.of(), List.of("rollout", "create"), List.of("doctor"))
                .hasSizeGreaterThan(30);
    }

    /** A value that is there when none is given; what is switched off needs no words. */
    private static boolean hasDefault(ArgSpec argument) {
        return argument instanceof OptionSpec
                && argument.arity().max() > 0
                && !List.of("null", "", "0", "false", "[]", "{}").contains(defaultOf(argument));
    }

    private static String defaultOf(ArgSpec argument) {
        return argument.defaultValue() == null
                ? String.valueOf(argument.initialValue())
                : argument.defaultValue();
    }

    private static String label(ArgSpec argument) {
        return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    }

    private static String named(List<String> path) {
        return String.join(" ", Stream.concat(Stream.of("drover"), path.stream()).toList());
    }

    private static CommandLine command(List<String> path) {
        CommandLine command = tree(new StringWriter(), new StringWriter());
        for (String word : path) {
            command = Objects.requireNonNull(command.getSubcommands().get(word), word);
        }
        return command;
    }

    static List<List<String>> commands() {
        List<List<String>> paths = new ArrayList<>();
        collect(tree(new StringWriter(), new StringWriter()), List.of(), paths);
        return paths;
    }

    private static void collect(CommandLine at, List<String> path, List<List<String>> paths) {
        paths.add(path);
        at.getSubcommands()
                .forEach(
                        (name, inner) -> {
                            List<String> deeper = new ArrayList<>(path);
                            deeper.add(name);
                            collect(inner, List.copyOf(deeper), paths);
                        });
    }

    static CommandLine tree(StringWriter out, StringWriter err) {
        return LocalCommands.addTo(
                DroverCli.commandLine(
                        Console.of(
                                new PrintWriter(out, true),
                                new PrintWriter(err, true),
                                OutputTraits.PLAIN)));
    }
}
