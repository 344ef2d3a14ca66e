package drover.opsagent.main;

import drover.model.Version;
import drover.opsagent.adopt.AdoptionDecision;
import drover.opsagent.adopt.AdoptionReport;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.engine.ExecutorLock;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.NodeRuntime;
import drover.opsagent.runtime.RuntimeContext;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.store.StateJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * {@code agent adopt}: takes in a program that runs on this node already, without touching it. Exit
 * codes: 0 recorded, or nothing to record; 1 refused; 2 wrong flags.
 */
public final class AdoptCommand {
    /** The word that this is asked for with. */
    public static final String VERB = "adopt";

    private static final int DONE = 0;
    private static final int REFUSED = 1;
    private static final int WRONG_FLAGS = 2;

    private final AgentFlags flags;
    private final PrintWriter out;
    private final PrintWriter err;

    private AdoptCommand(AgentFlags flags, PrintWriter out, PrintWriter err) {
        this.flags = flags;
        this.out = out;
        this.err = err;
    }

    /** With the program as a file has it that {@code --spec} names. */
    static int run(List<String> arguments, PrintWriter out, PrintWriter err) {
        try {
            AgentFlags flags = AgentFlags.of(arguments.toArray(String[]::new));
            return new AdoptCommand(flags, out, err).adopt(flags.readAdoptedProgram(), List.of());
        } catch (IllegalArgumentException e) {
            return printUsageError(e, err);
        }
    }

    /**
     * With the program as a chain profile has it.
     *
     * @param arguments flags of the agent, and of this verb
     * @param known what digests are called in the chain's manifests
     */
    public static int run(
            List<String> arguments,
            ProgramProfile program,
            List<KnownVersion> known,
            PrintWriter out,
            PrintWriter err) {
        try {
            AgentFlags flags = AgentFlags.of(arguments.toArray(String[]::new));
            return new AdoptCommand(flags, out, err).adopt(program, known);
        } catch (IllegalArgumentException e) {
            return printUsageError(e, err);
        }
    }

    private static int printUsageError(IllegalArgumentException why, PrintWriter err) {
        err.println(why.getMessage());
        err.flush();
        return WRONG_FLAGS;
    }

    private int adopt(ProgramProfile program, List<KnownVersion> known) {
        String version = flags.adoptedVersion().map(Version::new).map(Version::value).orElse("");
        AdoptionRequest request =
                new AdoptionRequest(program, version, flags.adoptedVersionUrl().orElse(""), known);
        OpsAgent.Dependencies parts = flags.createDependencies(new AgentMetrics());
        StateDirectory state =
                new StateDirectory(
                        flags.stateDirectory(), new DurableFiles(parts.disk(), parts.random()));
        ProgramAdopter adopter = new ProgramAdopter(state, createRuntime(parts, state));
        try {
            return flags.isDryRun()
                    ? printReport(adopter.inspect(request))
                    : recordAdoption(adopter, request);
        } catch (ActionFailed e) {
            return printRefusal(e.reason(), String.valueOf(e.getMessage()));
        } catch (PathRefused e) {
            return printRefusal(ReasonCode.PATH_REFUSED, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            err.println(StartupErrorMessage.message(e));
            err.flush();
            return REFUSED;
        }
    }

    private NodeRuntime createRuntime(OpsAgent.Dependencies parts, StateDirectory state) {
        return parts.runtimes()
                .open(
                        flags.runtime(),
                        new RuntimeContext(
                                state,
                                flags.rootDirectory(),
                                parts.fetcher(),
                                parts.processes(),
                                parts.ticker(),
                                OpsAgentConfig.START_SETTLE));
    }

    private int recordAdoption(ProgramAdopter adopter, AdoptionRequest request) {
        try (ExecutorLock lock = ExecutorLock.tryAcquire(flags.stateDirectory())) {
            if (!lock.isHeld()) {
                return printRefusal(
                        ReasonCode.NOT_EXECUTOR,
                        "An agent runs on this node: stop it, adopt the program, start it again.");
            }
            AdoptionReport survey = adopter.inspect(request);
            if (!(survey.adoption() instanceof AdoptionDecision.Refused)) {
                adopter.recordAndAdopt(survey);
            }
            return printReport(survey);
        }
    }

    private int printReport(AdoptionReport survey) {
        survey.lines().forEach(out::println);
        if (survey.adoption()
                instanceof AdoptionDecision.Refused(ReasonCode reason, String sentence)) {
            return printRefusal(reason, sentence);
        }
        out.println(
                flags.isDryRun()
                        ? "Nothing was written: this is what adopt would record."
                        : "Nothing was touched but "
                                + flags.stateDirectory()
                                + ". Start the agent.");
        out.flush();
        return DONE;
    }

    private int printRefusal(ReasonCode reason, String sentence) {
        out.flush();
        err.println(sentence + " (" + reason + ")");
        err.flush();
        return REFUSED;
    }

    /** The program that a file describes, as {@code profile.json} does. */
    static ProgramProfile readProgram(Path file) {
        try {
            return new StateJson()
                    .read(Files.readAllBytes(file), ProgramProfile.class, file.toString());
        } catch (IOException | StateJson.UnreadableState e) {
            throw new IllegalArgumentException(
                    file + " is no description of a program: write it with 'drover agent spec'.",
                    e);
        }
    }
}
