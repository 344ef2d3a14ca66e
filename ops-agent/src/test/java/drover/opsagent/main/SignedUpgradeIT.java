package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.trust.RootOfTrustStore;
import drover.opsagent.trust.TrustedSigners;
import drover.trust.release.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A whole agent, from the stream to the process, on a node whose owner asks for signatures. */
class SignedUpgradeIT extends RealProcessNode {
    private TrustedSigners people;
    private long pid;

    @BeforeEach
    void requireSignatures() throws IOException {
        agent.close();
        people = new TrustedSigners(directory);
        new RootOfTrustStore(
                        new StateDirectory(state, new DurableFiles(new LocalDisk(), new Random(1))),
                        people.demand(true))
                .pinOrUpdateRoot();
        agent = startSignedAgent();
        gateway.heartbeats.clear();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
        pid = marked().getFirst().pid();
    }

    private OpsAgent startSignedAgent() throws IOException {
        LocalPolicy policy =
                new LocalPolicy(
                        false, List.of(), Set.of(), Set.of(), Set.of(), people.demand(true));
        return startAgent(
                OpsAgent.Dependencies.local(
                        new LocalDisk(),
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        RuntimeRegistry.builtIn(Map.of()).withPolicy(policy)));
    }

    private Command signed(long attempt, byte[] release) {
        try {
            Command plain = upgrade(attempt, newProgram, "601");
            CommandBody body = CommandBody.parseFrom(plain.getBody());
            CommandBody signed =
                    body.toBuilder()
                            .setUpgrade(
                                    body.getUpgrade().toBuilder()
                                            .setRelease(ByteString.copyFrom(release)))
                            .build();
            return plain.toBuilder().setBody(signed.toByteString()).build();
        } catch (InvalidProtocolBufferException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Release release() throws IOException {
        return TrustedSigners.release("v2", 1, digest(newProgram), Files.size(newProgram), CONFIG)
                .withLaunch(TrustedSigners.SLEEPING);
    }

    @Test
    @DisplayName("E1 E3: forged work leaves the program running as it was; signed work is done")
    void trustsTheOwnersPeopleAlone() throws IOException {
        gateway.send(upgrade(1, newProgram, "601"));
        assertUntouched(end(1), "SIGNATURE_MISSING");
        gateway.send(
                signed(
                        2,
                        release().toUnsignedEnvelope().withSignature(TrustedSigners.EVE).bytes()));
        assertUntouched(end(2), "SIGNATURE_INVALID");
        byte[] ofAnother = TrustedSigners.signed(release());
        Files.write(newProgram, new byte[] {1}, StandardOpenOption.APPEND);
        gateway.send(signed(3, ofAnother));
        assertUntouched(end(3), "RELEASE_DIFFERS");
        gateway.send(signed(4, TrustedSigners.signed(release())));
        AttemptStatus done = end(4);
        assertThat(done.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        assertThat(done.getRunningDigest()).isEqualTo(digest(newProgram).value());
    }

    private void assertUntouched(AttemptStatus status, String reason) throws IOException {
        assertThat(status.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(status.getReason()).isEqualTo(reason);
        assertThat(status.getMutationStarted()).isFalse();
        assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(marked()).extracting(ProcessHandle::pid).containsExactly(pid);
        assertThat(state.resolve("staging"))
                .satisfiesAnyOf(
                        staging -> assertThat(staging).doesNotExist(),
                        staging -> assertThat(staging).isEmptyDirectory());
    }
}
