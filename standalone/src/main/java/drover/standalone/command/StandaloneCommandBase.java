package drover.standalone.command;

import drover.kit.grpc.PortInUse;
import drover.localenv.UserFacingError;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Spec;

/**
 * What all commands of this machine share: one sentence when something is wrong, no stack trace.
 */
abstract class StandaloneCommandBase implements Callable<Integer> {
    static final int DONE = 0;
    static final int FAILED = 1;

    private static final Logger LOG = LoggerFactory.getLogger(StandaloneCommandBase.class);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli fills it before the command runs
    private CommandSpec spec;

    /** Does the work and answers with the exit code. */
    abstract int run();

    @Override
    public final Integer call() {
        try {
            return run();
        } catch (UserFacingError e) {
            LOG.debug("A command was refused", e);
            printError(e.message());
        } catch (PortInUse e) {
            LOG.debug("A port is taken", e);
            printError(
                    e.getMessage()
                            + "; choose other ports with --http-port, --grpc-port and"
                            + " --agent-port.");
        } catch (RuntimeException e) {
            LOG.error("A command failed", e);
            printError("Something went wrong that Drover did not expect: " + e);
        }
        return FAILED;
    }

    /** Whether the operator wrote this option, rather than left it to its default. */
    boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** Whether the operator asked for JSON, with the option that all commands have. */
    boolean wantsJson() {
        OptionSpec output = spec.root().findOption("--output");
        Object word = output == null ? "" : output.getValue();
        return "json".equals(String.valueOf(word));
    }

    PrintWriter out() {
        return spec.root().commandLine().getOut();
    }

    void print(String line) {
        out().println(line);
        out().flush();
    }

    PrintWriter err() {
        return spec.root().commandLine().getErr();
    }

    void printError(String sentence) {
        PrintWriter err = err();
        err.println(sentence);
        err.flush();
    }
}
