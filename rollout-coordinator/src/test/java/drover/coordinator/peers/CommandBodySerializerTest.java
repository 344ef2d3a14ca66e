package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.Durations;
import drover.agent.v1.ClusterProbe;
import drover.agent.v1.CommandBody;
import drover.agent.v1.ProgramSpec;
import drover.agent.v1.RestoreWork;
import drover.agent.v1.StopSettings;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class CommandBodySerializerTest {
    private static final Rollout ROLLOUT =
            SampleRollout.of(
                    new RolloutId("rollout-1"),
                    SampleRollout.Plan.rolling("demo", 1, 1),
                    Instant.EPOCH);

    private static RestoreWork restore(String sourceUrl, boolean changesConfig)
            throws InvalidProtocolBufferException {
        NodeTarget target =
                new NodeTarget(
                        new NodeId("demo-00001"),
                        new Version("v1"),
                        SampleRollout.OLD,
                        SampleRollout.OLD_CONFIG,
                        sourceUrl,
                        changesConfig ? SampleRollout.NEW_CONFIG : SampleRollout.OLD_CONFIG,
                        changesConfig);
        byte[] body = CommandBodySerializer.restoreBody(ROLLOUT.id(), 2, 1, ROLLOUT.spec(), target);
        return CommandBody.parseFrom(body).getRestore();
    }

    @Test
    void restoreNamesThePreviousArtifact() throws InvalidProtocolBufferException {
        RestoreWork work = restore("https://x/v1", false);
        assertThat(work.getPreviousArtifact().getUrl()).isEqualTo("https://x/v1");
        assertThat(work.getPreviousArtifact().getDigest()).isEqualTo(work.getExpectedDigest());
        assertThat(work.getPreviousVersion()).isEqualTo("v1");
        assertThat(work.getInstalledDigest()).isEqualTo(SampleRollout.NEW.value());
    }

    @Test
    @DisplayName("E7: the release that people signed travels unchanged with the work")
    void anUpgradeBringsTheSignedReleaseAlong() throws InvalidProtocolBufferException {
        ByteString release = ByteString.copyFromUtf8("{ signed }");
        NodeTarget target = ROLLOUT.nodes().values().iterator().next().target();
        byte[] program = ProgramSpec.newBuilder().setName("node").build().toByteArray();
        byte[] payload =
                CommandBodySerializer.upgradePayload(
                        ROLLOUT.spec(), target, program, List.of(), 7, release);
        byte[] body =
                CommandBodySerializer.upgradeBody(
                        ROLLOUT.spec().programKind(), target.node(), ROLLOUT.id(), 1, payload);
        assertThat(CommandBody.parseFrom(body).getUpgrade().getRelease()).isEqualTo(release);
    }

    @Test
    @DisplayName("C6: the time of all actions covers a long stop, and the agent has to know of it")
    void aLongStopHasItsTime() throws InvalidProtocolBufferException {
        ProgramSpec.Builder plain = ProgramSpec.newBuilder().setName("node");
        ProgramSpec.Builder slow =
                plain.clone()
                        .setStop(StopSettings.newBuilder().setTimeout(Durations.fromMinutes(30)));

        assertThat(upgrade(plain).getWorkTimeout()).isEqualTo(Durations.fromSeconds(550));
        assertThat(upgrade(plain).getRequiredFeaturesList()).isEmpty();
        assertThat(upgrade(slow).getWorkTimeout()).isEqualTo(Durations.fromSeconds(550 + 1_780));
        assertThat(upgrade(slow).getRequiredFeaturesList()).containsExactly("stop-settings/1");
        assertThat(
                        upgrade(slow.clone().addProgramWritten("/etc/geth.toml"))
                                .getRequiredFeaturesList())
                .containsExactly("stop-settings/1", "program-written/1");
        assertThat(
                        upgrade(
                                        plain.clone()
                                                .setCluster(
                                                        ClusterProbe.newBuilder()
                                                                .setDriver("etcd")))
                                .getRequiredFeaturesList())
                .containsExactly("cluster-role/1");
        NodeTarget target = ROLLOUT.nodes().values().iterator().next().target();
        RolloutSpec spec = ROLLOUT.spec().withStopTimeout(Duration.ofMinutes(30));
        byte[] restore = CommandBodySerializer.restoreBody(ROLLOUT.id(), 2, 1, spec, target);
        assertThat(CommandBody.parseFrom(restore).getWorkTimeout())
                .isEqualTo(Durations.fromSeconds(550 + 1_780));
    }

    private static CommandBody upgrade(ProgramSpec.Builder program)
            throws InvalidProtocolBufferException {
        NodeTarget target = ROLLOUT.nodes().values().iterator().next().target();
        byte[] payload =
                CommandBodySerializer.upgradePayload(
                        ROLLOUT.spec(),
                        target,
                        program.build().toByteArray(),
                        List.of(),
                        7,
                        ByteString.EMPTY);
        return CommandBody.parseFrom(
                CommandBodySerializer.upgradeBody(
                        ROLLOUT.spec().programKind(), target.node(), ROLLOUT.id(), 1, payload));
    }

    @Test
    @DisplayName("D3: not when configuration changed, and not when the address is not known")
    void restoreOmitsAnArtifactThatWouldNotFit() throws InvalidProtocolBufferException {
        assertThat(restore("https://x/v1", true).hasPreviousArtifact()).isFalse();
        assertThat(restore("", false).hasPreviousArtifact()).isFalse();
    }
}
