package drover.opsagent.engine;

import static drover.opsagent.preflight.PreflightReportAssert.assertThatReport;
import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.UpgradeAction;
import drover.model.program.BinaryName;
import drover.model.program.ConfigDigest;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import drover.opsagent.preflight.PreflightReport;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PreflightRunnerTest {
    private static final byte[] DOES_NOT_MATTER = SimulatedNode.bytes("a = 3");

    private final SimulatedNode node = SimulatedNode.running(Map.of());
    private final SimulatedNode.Agent agent = node.agent(1).boot();
    private Digest before = node.fingerprint();

    @AfterEach
    void nothingWasChanged() {
        assertThat(node.fingerprint()).as("files, processes, journals").isEqualTo(before);
        assertThat(node.spawned).hasSize(1);
        assertThat(agent.slot.currentStatus()).as("no attempt was taken").isNull();
        assertThat(agent.processor.agentRecord().floor()).isZero();
    }

    /** The scene is set: what follows must leave it as it is. */
    private PreflightReport preflight(CommandWithContents delivery) {
        before = node.fingerprint();
        return agent.processor.preflight(new PreflightRequest("asked-1", delivery));
    }

    private static CommandWithContents upgrade() {
        return SimulatedNode.upgrade(0);
    }

    @Test
    @DisplayName("A node on which all eight would be done says so, and is left as it is")
    void findsNothingWrongWithAGoodNode() {
        PreflightReport report = preflight(upgrade());

        assertThat(report.preflightId()).isEqualTo("asked-1");
        assertThatReport(report).findsNothingWrong();
    }

    @Test
    void needsNoArtifactThatIsInstalled() {
        node.disk.limitCapacity(32L << 20);
        Artifact nowhere =
                new Artifact("http://nowhere.example/x", Digest.of(SimulatedNode.OLD), 1L << 30);
        assertThatReport(preflight(SimulatedNode.upgrade(0, nowhere))).findsNothingWrong();
    }

    @Test
    @DisplayName("D16: no room for copies and artifact")
    void findsThatThereIsNoSpace() {
        node.disk.limitCapacity(4L << 20);
        assertThatReport(preflight(upgrade()))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.DISK_FULL);
    }

    @Test
    @DisplayName("D9: neither source nor target is there")
    void findsAnotherSource() {
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("etc/app.toml"), DOES_NOT_MATTER, FileAttributes.CONFIG);
        assertThatReport(preflight(upgrade()))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.DRIFTED);
    }

    @Test
    void namesAManagedFileThatIsMissing() {
        node.disk.delete(SimulatedNode.ROOT.resolve("etc/peers.toml"));
        assertThatReport(preflight(SimulatedNode.programOnly(0)))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.DRIFTED)
                .finds(
                        UpgradeAction.BACKUP_STATE,
                        ReasonCode.DRIFTED,
                        "/etc/peers.toml is missing");
    }

    @Test
    void findsThatNothingIsAtTheAddress() {
        Artifact removed = new Artifact("http://artifacts.example/gone", Digest.of("gone"), 0);
        assertThatReport(preflight(SimulatedNode.upgrade(0, removed)))
                .findsJust(UpgradeAction.ACQUIRE_ARTIFACT, ReasonCode.ARTIFACT_NOT_FOUND);
    }

    @Test
    @DisplayName("E1: a small artifact comes whole, so its digest is proven")
    void findsAnotherArtifactAtTheAddress() {
        Artifact other = new Artifact(SimulatedNode.URL, Digest.of("else"), 0);
        assertThatReport(preflight(SimulatedNode.upgrade(0, other)))
                .findsJust(UpgradeAction.ACQUIRE_ARTIFACT, ReasonCode.CHECKSUM_MISMATCH);
    }

    @ParameterizedTest
    @CsvSource({"/node/bin, INSTALL_ARTIFACT", "/node/etc, WRITE_CONFIGS", "/state, BACKUP_STATE"})
    void findsADirectoryThatItMayNotWriteIn(String directory, UpgradeAction action) {
        node.disk.denyNewFiles(Path.of(directory));
        assertThatReport(preflight(upgrade())).findsJust(action, ReasonCode.DISK_ERROR);
    }

    @Test
    @DisplayName("B01: a file that lost its permission to execute is found, while it still runs")
    void findsAFileThatMayNotBeExecuted() {
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("bin/app"),
                SimulatedNode.OLD,
                FileAttributes.of("rw-r--r--"));
        assertThatReport(preflight(upgrade()))
                .findsJust(UpgradeAction.START_NODE, ReasonCode.NOT_EXECUTABLE)
                .finds(UpgradeAction.START_NODE, ReasonCode.NOT_EXECUTABLE, "/bin/app (rw-r--r--");
    }

    @Test
    @DisplayName("B02: a process that may not be inspected is found; what runs is not known")
    void findsAProcessThatMayNotBeInspected() {
        node.processes.denyInspection();
        assertThatReport(preflight(upgrade()))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.NOT_INSPECTABLE);
    }

    @Test
    @DisplayName("B29: too few free inodes are found, although there is room for the bytes")
    void findsThatTooFewFilesCanBeCreated() {
        node.disk.limitNewFiles(12);
        assertThatReport(preflight(upgrade()))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.DISK_FULL)
                .finds(UpgradeAction.BACKUP_STATE, ReasonCode.DISK_FULL, "free inodes");
    }

    @Test
    void findsAnotherUserThanTheAgents() {
        ProgramSpec own = SimulatedNode.spec("new");
        LaunchSpec launch = own.launch();
        ProgramSpec others =
                new ProgramSpec(
                        own.name(),
                        own.runtime(),
                        new LaunchSpec(
                                launch.path(),
                                "",
                                List.of(),
                                launch.environment(),
                                "somebody-else",
                                ProgramDigestSource.EXE),
                        List.of());
        assertThatReport(preflight(with(others)))
                .finds(UpgradeAction.START_NODE, ReasonCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void findsAProgramForAnotherRuntime() {
        ProgramSpec own = SimulatedNode.spec("new");
        ProgramSpec unit = new ProgramSpec(own.name(), "systemd", own.launch(), List.of());
        assertThatReport(preflight(with(unit)))
                .finds(UpgradeAction.STOP_NODE, ReasonCode.UNSUPPORTED_FEATURE);
    }

    private static CommandWithContents with(ProgramSpec spec) {
        Work.Upgrade planned = planned(upgrade());
        return SimulatedNode.delivery(
                0,
                new Work.Upgrade(
                        spec,
                        "v2",
                        planned.artifact(),
                        planned.files(),
                        planned.sourceDigest(),
                        planned.sourceConfigDigest(),
                        planned.targetConfigDigest()));
    }

    private static Work.Upgrade planned(CommandWithContents delivery) {
        return switch (delivery.command().work()) {
            case ParsedCommand.WorkParseResult.Valid(Work.Upgrade upgrade) -> upgrade;
            case ParsedCommand.WorkParseResult.Valid _,
                    ParsedCommand.WorkParseResult.Unreadable _ ->
                    throw new IllegalArgumentException("no upgrade");
        };
    }

    @Test
    @DisplayName("H11: a path that is no plain file")
    void findsAPathThatMustNotBeWritten() {
        node.disk.putDurableFile(
                SimulatedNode.ROOT.resolve("etc/app.toml.d/x"),
                DOES_NOT_MATTER,
                FileAttributes.CONFIG);
        NodePath directory = new NodePath("/etc/app.toml.d");
        Digest content = Digest.of(SimulatedNode.NEW_CONFIG);
        Work.Upgrade planned = planned(upgrade());
        CommandWithContents into =
                SimulatedNode.delivery(
                        0,
                        new Work.Upgrade(
                                planned.spec(),
                                "v2",
                                planned.artifact(),
                                List.of(new ConfigFile(directory, content)),
                                planned.sourceDigest(),
                                "",
                                ConfigDigest.of(
                                        Map.of(
                                                SimulatedNode.CONFIG,
                                                Digest.of(SimulatedNode.OLD_CONFIG),
                                                SimulatedNode.PEERS,
                                                Digest.of(SimulatedNode.OLD_PEERS),
                                                directory,
                                                content),
                                        planned.spec().launch().digest())));
        assertThatReport(preflight(into))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.PATH_REFUSED);
    }

    @Test
    void findsThatAContentDidNotComeAlong() {
        CommandWithContents whole = upgrade();
        assertThatReport(
                        preflight(
                                new CommandWithContents(whole.command(), whole.budget(), Map.of())))
                .findsJust(UpgradeAction.WRITE_CONFIGS, ReasonCode.MALFORMED_BODY);
    }

    @Test
    void findsAProgramThatTheNodeDoesNotHave() {
        ProgramSpec own = SimulatedNode.spec("new");
        ProgramSpec other =
                new ProgramSpec(new BinaryName("other"), own.runtime(), own.launch(), List.of());
        assertThatReport(preflight(with(other)))
                .findsJust(UpgradeAction.BACKUP_STATE, ReasonCode.UNKNOWN_PROGRAM);
    }

    @Test
    @DisplayName("B4: an earlier leader's asking, another node's, and one of a standby are refused")
    void checksNothingForAnUnauthorizedCaller() {
        agent.processor.saveNodeIdIfChanged("node-2");
        assertThat(preflight(upgrade()).reason()).isEqualTo(ReasonCode.WRONG_NODE);
        assertThat(preflight(upgrade()).checks()).isEmpty();
    }

    @Test
    void checksNothingThatIsNoUpgrade() {
        CommandWithContents clear = SimulatedNode.delivery(0, new Work.ClearFailure("why"));
        assertThat(preflight(clear).reason()).isEqualTo(ReasonCode.UNKNOWN_WORK);
    }
}
