package drover.cli.command;

import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that is nothing without one of its own commands. */
public abstract class SubcommandGroup implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public final Integer call() {
        throw new ParameterException(
                spec.commandLine(),
                "Say what to do: " + String.join(", ", spec.subcommands().keySet()) + ".");
    }
}
