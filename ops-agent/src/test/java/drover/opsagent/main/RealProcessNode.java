package drover.opsagent.main;

import static org.awaitility.Awaitility.await;

import drover.agent.v1.AttemptStatus;
import drover.model.Digest;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.peers.GatewayAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A whole agent of this process, with real processes and files. */
public abstract class RealProcessNode extends InstalledNode {
    public ScriptedGateway gateway;
    String address;
    public OpsAgent agent;

    @BeforeEach
    void anAgentOfThisProcess() throws IOException {
        address = "gateway-" + UUID.randomUUID();
        gateway = new ScriptedGateway(address);
        agent = startAgent();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
    }

    @AfterEach
    void nothingIsLeft() {
        agent.close();
        gateway.close();
    }

    public AttemptStatus end(long attempt) {
        return gateway.end(attempt, Duration.ofSeconds(30));
    }

    public boolean runs(Digest digest) {
        return gateway.lastHeartbeat().getProgramsCount() == 1
                && gateway.lastHeartbeat().getPrograms(0).getRunningDigest().equals(digest.value());
    }

    OpsAgent startAgent() {
        return startAgent(OpsAgent.Dependencies.local(DownloadPolicy.forLocalMachine()));
    }

    public OpsAgent startAgent(OpsAgent.Dependencies parts) {
        return OpsAgent.start(
                config(state, root, address, "process", Duration.ofMillis(700)), parts);
    }

    /** Of an agent that dials a gateway of this process, and does so often. */
    public static OpsAgentConfig config(
            Path state, Path root, String address, String runtime, Duration startSettle) {
        return new OpsAgentConfig(
                state,
                root,
                List.of(new GatewayAddress("in-process:" + address)),
                "secret",
                runtime,
                startSettle,
                Duration.ofMillis(200),
                Duration.ofMillis(200),
                "test");
    }
}
