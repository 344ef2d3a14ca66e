package drover.opsagent.cluster;

import drover.model.cluster.ClusterReport;
import drover.model.cluster.PrintableLine;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.process.ProcessTreeCommandRunner;
import drover.opsagent.runtime.process.ProcessTreeCommandRunner.CommandResult;
import drover.opsagent.runtime.process.UnprivilegedCommandResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Driver that is an executable. It runs without a shell, never as root, and only if the node's
 * policy lists it; its processes end with each call.
 */
public final class ExecClusterDriver implements ClusterDriver {
    private final Path executable;
    private final String endpoint;
    private final LocalPolicy policy;
    private final ProcessTreeCommandRunner runner = new ProcessTreeCommandRunner();

    /**
     * Driver for one member.
     *
     * @param endpoint address of the member, passed on to the executable; empty if the executable
     *     knows its member
     */
    public ExecClusterDriver(Path executable, String endpoint, LocalPolicy policy) {
        this.executable = executable.toAbsolutePath().normalize();
        this.endpoint = endpoint;
        this.policy = policy;
    }

    /** The executable could not be run to its end; the message is one sentence. */
    private static final class CallFailed extends Exception {
        private static final long serialVersionUID = 1L;

        CallFailed(String sentence) {
            super(sentence);
        }

        String sentence() {
            return String.valueOf(getMessage());
        }
    }

    @Override
    public ProbeResult probe() {
        try {
            CommandResult result = run(List.of("probe"), DriverContractLimits.PROBE_TIMEOUT);
            int exitCode = result.exitCode().orElse(-1);
            if (exitCode != 0) {
                return new ProbeResult.Failed(describeExit(exitCode, result));
            }
            return new ProbeResult.Reported(ClusterReportParser.parse(result.output()));
        } catch (IllegalArgumentException e) {
            return new ProbeResult.Failed(name() + ": " + e.getMessage());
        } catch (CallFailed e) {
            return new ProbeResult.Failed(e.sentence());
        }
    }

    @Override
    public VerbResult stepDown() {
        return call(List.of("step-down"), DriverContractLimits.STEP_DOWN_TIMEOUT);
    }

    @Override
    public VerbResult stepDownTo(String target) {
        if (!ClusterReport.isName(target)) {
            return VerbResult.never("The target is no valid name of a member.");
        }
        return call(List.of("step-down", "--to", target), DriverContractLimits.STEP_DOWN_TIMEOUT);
    }

    @Override
    public VerbResult snapshot(Path directory) {
        return call(
                List.of("snapshot", directory.toAbsolutePath().toString()),
                DriverContractLimits.SNAPSHOT_TIMEOUT);
    }

    /** Kills the processes of calls in flight; for the shutdown of this JVM. */
    public void close() {
        runner.close();
    }

    /** An undefined exit code is not a success, and the next probe shows what happened. */
    private VerbResult call(List<String> arguments, Duration timeout) {
        try {
            CommandResult result = run(arguments, timeout);
            int exitCode = result.exitCode().orElse(-1);
            return VerbResult.Outcome.of(exitCode)
                    .map(outcome -> new VerbResult(outcome, firstLine(result)))
                    .orElseGet(() -> VerbResult.notNow(describeExit(exitCode, result)));
        } catch (CallFailed e) {
            return VerbResult.notNow(e.sentence());
        }
    }

    /** Returns a result that has an exit code. */
    private CommandResult run(List<String> arguments, Duration timeout) throws CallFailed {
        Optional<String> refusal = policy.findDriverRefusal(executable.toString());
        if (refusal.isPresent()) {
            throw new CallFailed(refusal.get());
        }
        List<String> command = new ArrayList<>(List.of(executable.toString()));
        command.addAll(arguments);
        try {
            return switch (UnprivilegedCommandResult.of(command, policy.programs().user())) {
                case UnprivilegedCommandResult.Unavailable(String problem) ->
                        throw new CallFailed(name() + ": " + problem + ".");
                case UnprivilegedCommandResult.Ready(
                                List<String> line,
                                Map<String, String> environment) ->
                        runReady(line, environment, timeout);
            };
        } catch (IOException e) {
            throw new CallFailed(name() + " cannot be run: " + e.getMessage() + ".");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new CallFailed(name() + " was stopped, because the agent is being closed.");
        }
    }

    private CommandResult runReady(
            List<String> line, Map<String, String> environment, Duration timeout)
            throws IOException, InterruptedException, CallFailed {
        Map<String, String> passed = new HashMap<>(environment);
        passed.put(DriverContractLimits.CONTRACT_VARIABLE, DriverContractLimits.NAME);
        if (!endpoint.isEmpty()) {
            passed.put(DriverContractLimits.ENDPOINT_VARIABLE, endpoint);
        }
        CommandResult result =
                runner.runAndRead(line, passed, timeout, DriverContractLimits.MAX_OUTPUT);
        if (result.exceedsLimit()) {
            throw new CallFailed(
                    name() + " wrote more than " + DriverContractLimits.MAX_OUTPUT + " bytes.");
        }
        if (result.exitCode().isEmpty()) {
            throw new CallFailed(
                    name()
                            + " did not end within "
                            + timeout.toSeconds()
                            + " s; it was killed with all its processes.");
        }
        return result;
    }

    private String describeExit(int exitCode, CommandResult result) {
        String line = firstLine(result);
        return switch (exitCode) {
            case 126, 127 ->
                    name() + " cannot be run: check its path, and who may read and execute it.";
            default ->
                    name()
                            + " exited with "
                            + exitCode
                            + (line.isEmpty() ? "." : " and wrote: " + line);
        };
    }

    private static String firstLine(CommandResult result) {
        String text = new String(result.output(), StandardCharsets.UTF_8);
        return PrintableLine.of(text.lines().findFirst().orElse(""));
    }

    private String name() {
        return "The driver " + executable;
    }
}
