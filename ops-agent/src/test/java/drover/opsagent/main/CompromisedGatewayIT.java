package drover.opsagent.main;

import static drover.opsagent.trust.TrustedSigners.ONLINE;
import static drover.opsagent.trust.TrustedSigners.authorized;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.CommandBody;
import drover.agent.v1.CommandType;
import drover.agent.v1.PreflightReport;
import drover.agent.v1.PreflightWork;
import drover.model.Digest;
import drover.opsagent.disk.DurableFiles;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.policy.LocalPolicy;
import drover.opsagent.policy.SignaturePolicy;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.opsagent.store.StateDirectory;
import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import drover.opsagent.trust.RootOfTrustStore;
import drover.opsagent.trust.TrustedSigners;
import drover.trust.release.CommandVerifier;
import drover.trust.release.Release;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A whole agent, from the stream to the process, behind a gateway that somebody else holds: it
 * strips, alters, replays and keeps back what a coordinator signed.
 */
class CompromisedGatewayIT extends RealProcessNode {
    private final LaterTicker ticker = new LaterTicker();
    private SignaturePolicy.VerifyReleases demand;
    private long pid;

    /** This machine's time, or as it is after so much more of it has passed. */
    private static final class LaterTicker implements Ticker {
        private final Ticker real = new SystemTicker();
        private volatile Duration passed = Duration.ZERO;

        void pass(Duration time) {
            passed = passed.plus(time);
        }

        @Override
        public long nanos() {
            return real.nanos() + passed.toNanos();
        }

        @Override
        public Instant wallClock() {
            return real.wallClock().plus(passed);
        }

        @Override
        public void pause(Duration duration) {
            real.pause(duration);
        }
    }

    @BeforeEach
    void requireSignedCommands() throws IOException {
        agent.close();
        TrustedSigners people = new TrustedSigners(directory);
        people.write(TrustedSigners.commanded());
        demand = people.demand(true).withSignedCommandsFor(TrustedSigners.NODE);
        new RootOfTrustStore(
                        new StateDirectory(state, new DurableFiles(new LocalDisk(), new Random(1))),
                        demand)
                .pinOrUpdateRoot();
        agent = startSigningAgent();
        gateway.heartbeats.clear();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
        pid = marked().getFirst().pid();
    }

    private OpsAgent startSigningAgent() {
        LocalPolicy policy =
                new LocalPolicy(false, List.of(), Set.of(), Set.of(), Set.of(), demand);
        OpsAgent.Dependencies usual =
                OpsAgent.Dependencies.local(
                        new LocalDisk(),
                        DownloadPolicy.forLocalMachine(),
                        new AgentMetrics(),
                        RuntimeRegistry.builtIn(Map.of()).withPolicy(policy));
        return startAgent(
                new OpsAgent.Dependencies(
                        usual.disk(),
                        usual.processes(),
                        usual.fetcher(),
                        usual.probes(),
                        ticker,
                        usual.random(),
                        usual.supervisionInterval(),
                        usual.lock(),
                        usual.metrics(),
                        usual.runtimes()));
    }

    /** What the leader of epoch 1 sends for this node. */
    private Command sent(long attempt) {
        try {
            Command plain = upgrade(attempt, newProgram, "601");
            CommandBody.Builder body = CommandBody.parseFrom(plain.getBody()).toBuilder();
            body.getUpgradeBuilder()
                    .setRelease(ByteString.copyFrom(TrustedSigners.signed(release())));
            return signed(plain.toBuilder().setBody(body.build().toByteString()).build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Release release() throws IOException {
        return TrustedSigners.release("v2", 1, digest(newProgram), Files.size(newProgram), CONFIG)
                .withLaunch(TrustedSigners.SLEEPING);
    }

    private Command signed(Command command) {
        Digest body = Digest.of(command.getBody().toByteArray());
        byte[] authorization = authorized(body, ticker.wallClock(), ONLINE);
        return command.toBuilder().setAuthorization(ByteString.copyFrom(authorization)).build();
    }

    @Test
    @DisplayName("H8: nothing that a gateway makes of a command is done; the command itself is")
    void nothingComesOfWhatAGatewayMakes() throws IOException {
        Command good = sent(1);
        assertDisbelieved(good.toBuilder().clearAuthorization().build(), "COMMAND_UNSIGNED");
        byte[] altered = good.getBody().toByteArray();
        altered[altered.length - 1] ^= 1;
        assertDisbelieved(
                good.toBuilder().setBody(ByteString.copyFrom(altered)).build(), "COMMAND_ALTERED");
        assertDisbelieved(good.toBuilder().setEpoch(99).build(), "COMMAND_ALTERED");
        assertDisbelieved(ofAnotherNode(good), "COMMAND_REPLAYED");
        assertThat(gateway.lastStatus().getAttempt()).as("no attempt began").isZero();

        gateway.send(good);
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
        gateway.send(signed(restore(2, 1)));
        assertThat(end(2).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_RESTORED);
        pid = marked().getFirst().pid();
        gateway.send(good); // once more, still in time
        gateway.send(preflight("after the replay"));
        awaitReport("after the replay");
        assertUntouched();
    }

    @Test
    @DisplayName("H8: a command that a gateway withholds until it is over is not done any more")
    void aCommandThatIsDeliveredTooLateIsNotDone() throws IOException {
        Command withheld = sent(1);
        gateway.send(preflight("while it was withheld"));
        awaitReport("while it was withheld");
        assertUntouched();

        ticker.pass(CommandVerifier.VALIDITY);
        assertDisbelieved(withheld, "COMMAND_EXPIRED");
        gateway.send(preflight("after it had come")); // all that came before it is over by then
        awaitReport("after it had come");
        assertUntouched();
        assertThat(gateway.lastStatus().getAttempt()).as("no attempt began").isZero();

        gateway.send(signed(withheld)); // the leader asks again as long as it wants it
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    @Test
    @DisplayName("H8: other contents than the signed body names end the attempt before it begins")
    void alteredContentsAreRefused() throws IOException {
        Command good = sent(1);
        ByteString other = ByteString.copyFromUtf8("a = 666");
        gateway.send(
                good.toBuilder()
                        .setContents(0, good.getContents(0).toBuilder().setData(other))
                        .build());
        AttemptStatus refused = end(1);
        assertThat(refused.getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_REFUSED);
        assertThat(refused.getReason()).isEqualTo("CHECKSUM_MISMATCH");
        assertUntouched();
    }

    @Test
    @DisplayName("H8: a forged withdrawal takes no number of an attempt away, also not for later")
    void aForgedWithdrawalRemovesNothing() throws IOException {
        gateway.withdraw(Long.MAX_VALUE, Long.MAX_VALUE);
        awaitFinding("COMMAND_UNSIGNED");
        agent.close();
        agent = startSigningAgent();
        gateway.heartbeats.clear();
        await().atMost(Waits.LIMIT).until(() -> runs(digest(oldProgram)));
        assertThat(gateway.hellos.getLast().getHighestAttempt()).isZero();
        assertThat(gateway.hellos.getLast().getEpoch()).isZero();
        gateway.send(sent(1));
        assertThat(end(1).getOutcome()).isEqualTo(AttemptOutcome.ATTEMPT_OUTCOME_SUCCEEDED);
    }

    /** Said before it is sent on: a preflight of the same, and what heartbeats say afterwards. */
    private void assertDisbelieved(Command command, String reason) throws IOException {
        gateway.heartbeats.clear();
        gateway.send(command);
        awaitFinding(reason);
        assertUntouched();
    }

    private void awaitFinding(String reason) {
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                gateway.lastHeartbeat().getFindingsList().stream()
                                        .anyMatch(finding -> finding.getCode().equals(reason)));
    }

    private Command ofAnotherNode(Command command) throws InvalidProtocolBufferException {
        CommandBody body =
                CommandBody.parseFrom(command.getBody()).toBuilder().setNodeId("node-2").build();
        return signed(command.toBuilder().setBody(body.toByteString()).build());
    }

    /** A preflight, which is answered after what was sent before it. */
    private Command preflight(String id) throws InvalidProtocolBufferException {
        CommandBody upgrade = CommandBody.parseFrom(sent(3).getBody());
        CommandBody body =
                body(0).setPreflight(
                                PreflightWork.newBuilder()
                                        .setPreflightId(id)
                                        .setUpgrade(upgrade.getUpgrade()))
                        .build();
        return signed(command(CommandType.COMMAND_TYPE_PREFLIGHT, body));
    }

    private void awaitReport(String id) {
        await().atMost(Waits.LIMIT)
                .until(
                        () ->
                                gateway.preflights.stream()
                                        .map(PreflightReport::getPreflightId)
                                        .anyMatch(id::equals));
    }

    private void assertUntouched() throws IOException {
        assertThat(digest(root.resolve("bin/app"))).isEqualTo(digest(oldProgram));
        assertThat(Files.readString(root.resolve("etc/app.toml"))).isEqualTo(OLD_CONFIG);
        assertThat(marked()).extracting(ProcessHandle::pid).containsExactly(pid);
    }
}
