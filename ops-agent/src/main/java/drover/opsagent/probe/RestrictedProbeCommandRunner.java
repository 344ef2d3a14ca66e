package drover.opsagent.probe;

import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.process.ProcessTreeCommandRunner;
import drover.opsagent.runtime.process.UnprivilegedCommandResult;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Programs that probes run: those that the policy lists, never as root, without capabilities and
 * without a way to gain privileges (H16). Nothing that a probe starts outlives it.
 */
final class RestrictedProbeCommandRunner {
    private final LocalPolicy policy;
    private final ProcessTreeCommandRunner runs = new ProcessTreeCommandRunner();

    RestrictedProbeCommandRunner(LocalPolicy policy) {
        this.policy = policy;
    }

    String runAndFindProblem(List<String> command, Duration timeout) throws IOException {
        Optional<String> refusal = policy.findRefusal(command);
        if (refusal.isPresent()) {
            return refusal.get();
        }
        return switch (UnprivilegedCommandResult.of(command, policy.programs().user())) {
            case UnprivilegedCommandResult.Ready(
                            List<String> line,
                            Map<String, String> environment) ->
                    runProcess(line, environment, timeout);
            case UnprivilegedCommandResult.Unavailable(String problem) -> problem;
        };
    }

    private String runProcess(List<String> line, Map<String, String> environment, Duration timeout)
            throws IOException {
        try {
            OptionalInt exit = runs.run(line, environment, timeout);
            if (exit.isEmpty()) {
                return "it did not end in time";
            }
            return switch (exit.getAsInt()) {
                case 0 -> "";
                case 126, 127 ->
                        "it cannot be run: check its path, and who may read and execute it";
                default -> "it exits with " + exit.getAsInt();
            };
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "the agent is being closed";
        }
    }
}
