package drover.opsagent.main;

import drover.opsagent.disk.DurableFiles;
import drover.opsagent.identity.IdentityFile;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.CredentialConnectionTester;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import drover.opsagent.selfupgrade.RunningJar;
import drover.opsagent.store.JournalStore;
import drover.opsagent.store.StateDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a version does before anything depends on it: reads its flags, its credential, its policy
 * and what the agent has on the disk, and dials. It changes nothing and takes no lock.
 */
final class SelfTestCommand {
    private static final Duration RESPONSE_TIMEOUT =
            Duration.ofSeconds(25); // more than a session waits, less than the test may take

    private SelfTestCommand() {}

    /**
     * Says its version and that it is well.
     *
     * @throws IllegalStateException with one sentence when no gateway takes its credential
     */
    static String run(AgentFlags flags) {
        OpsAgentConfig config = flags.toConfig();
        OpsAgent.Dependencies parts = flags.createDependencies(new AgentMetrics());
        StateDirectory state =
                new StateDirectory(
                        config.stateDirectory(), new DurableFiles(parts.disk(), parts.random()));
        state.loadProfile();
        new JournalStore(state).loadSummaries(); // every journal can be read
        String version = agentVersion();
        NodeCredential credential = config.createCredential(new IdentityFile(state));
        List<String> problems = new ArrayList<>();
        for (GatewayAddress gateway : config.gateways()) {
            long next = state.loadAgentRecord().withNextIncarnation().incarnation();
            String problem =
                    CredentialConnectionTester.connectAndFindProblem(
                            gateway, credential, version, next, RESPONSE_TIMEOUT);
            if (problem.isEmpty()) {
                return version + " ok";
            }
            problems.add(problem);
        }
        throw new IllegalStateException(
                "No gateway takes this agent: " + String.join("; ", problems) + ".");
    }

    /** Of the jar that this is; of the build where it is no jar of its own. */
    static String agentVersion() {
        @Nullable RunningJar jar = RunningJar.find();
        return jar == null ? OpsAgentConfig.VERSION : jar.version();
    }
}
