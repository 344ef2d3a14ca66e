package drover.standalone.command;

import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code drover completion}: prints what makes a shell complete commands and options. */
@Command(
        name = "completion",
        description = {
            "Prints the completion of commands and options for a shell.",
            "For example: source <(drover completion bash)"
        })
public final class CompletionCommand extends StandaloneCommandBase {
    /** The shells. */
    public enum Shell {
        /** Also for what calls itself sh. */
        BASH,
        /** Through its own support of bash's completion. */
        ZSH,
        /** By rules of its own. */
        FISH;

        /** As it is typed. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli fills it before the command runs
    private CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "One of ${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.BASH;

    @Override
    int run() {
        CommandLine drover = spec.root().commandLine();
        print(
                switch (shell) {
                    case BASH, ZSH -> AutoComplete.bash("drover", drover);
                    case FISH -> FishCompletion.of(drover);
                });
        return DONE;
    }
}
