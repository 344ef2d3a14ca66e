package drover.opsagent.systemd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.Digest;
import drover.model.program.ProgramSpec;
import drover.opsagent.adopt.AdoptionDecision;
import drover.opsagent.adopt.AdoptionReport;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.ProgramInspector;
import drover.opsagent.journal.ConfigFile;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A unit that runs already is taken over as it is. */
class UnitAdoptionTest {
    private final UnitNode node = UnitNode.found(Map.of(), UnitNode.OLD_UNIT);
    private final UnitNode.Agent agent = node.agent(0);

    @Test
    @DisplayName("What is adopted is what an agent then reports, and upgrades, and brings back")
    void anAgentUpgradesWhatWasAdopted() {
        agent.adopter.recordAndAdopt(agent.adopter.inspect(UnitNode.request("v1")));
        UnitNode.Agent next = node.agent(1).boot();
        assertThat(next.status())
                .isInstanceOfSatisfying(
                        ProgramState.Up.class,
                        up -> {
                            assertThat(up.digest()).isEqualTo(Digest.of(UnitNode.OLD));
                            assertThat(up.configDigest()).isEqualTo(UnitNode.oldConfigDigest());
                            assertThat(up.desired()).isTrue();
                        });
        next.processor.process(UnitNode.upgrade(1));
        assertThat(node.isNew()).isTrue();
        next.processor.process(UnitNode.restore(2, 1));
        assertThat(node.isOld()).isTrue();
    }

    @Test
    @DisplayName("An adopted program has no recorded digests until the next upgrade writes them")
    void recordsDigestsOfFilesWithTheFirstUpgrade() {
        ProgramSpec plain = UnitNode.spec();
        ProgramSpec writing =
                new ProgramSpec(
                        plain.name(),
                        plain.runtime(),
                        plain.launch(),
                        plain.probes(),
                        List.of(UnitNode.CONFIG));
        ProgramProfile found =
                new ProgramProfile(writing, List.of(UnitNode.CONFIG, UnitNode.UNIT_FILE));
        agent.adopter.recordAndAdopt(
                agent.adopter.inspect(new AdoptionRequest(found, "v1", "", List.of())));
        UnitNode.Agent next = node.agent(1).boot();
        assertThat(profile(next).written()).isEmpty();
        assertThat(configDigestAfterAChange(next)).isNotEqualTo(UnitNode.oldConfigDigest());

        next.processor.process(UnitNode.upgrade(1, writing));

        assertThat(node.isNew()).isTrue();
        assertThat(profile(next).written())
                .contains(new ConfigFile(UnitNode.CONFIG, Digest.of(UnitNode.NEW_CONFIG)));
        assertThat(configDigestAfterAChange(next)).isEqualTo(UnitNode.newConfigDigest());
    }

    private static ProgramProfile profile(UnitNode.Agent of) {
        return Objects.requireNonNull(of.state.loadProfile().findProgram("app"));
    }

    /** The digest while the program has written into its file, which is then as before. */
    private Digest configDigestAfterAChange(UnitNode.Agent of) {
        Path path = Path.of(UnitNode.CONFIG.value());
        byte[] content = node.disk.readAll(path);
        FileAttributes attributes = node.disk.attributes(path);
        node.disk.putDurableFile(path, UnitNode.bytes("a = 7"), attributes);
        Digest changed = new ProgramInspector(of.runtime).readConfigDigest(profile(of));
        node.disk.putDurableFile(path, content, attributes);
        return changed;
    }

    @Test
    void touchesNothingOfTheNode() {
        String before = node.fingerprint();
        agent.adopter.recordAndAdopt(agent.adopter.inspect(UnitNode.request("v1")));
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(node.spawned).hasSize(1);
    }

    @Test
    void aSurveyWritesNothingAtAll() {
        String before = node.whole();
        AdoptionReport survey = agent.adopter.inspect(UnitNode.request("v1"));
        assertThat(node.whole()).isEqualTo(before);
        assertThat(survey.lines())
                .contains(
                        "Found: unit app.service",
                        "  runs                     /usr/bin/app",
                        "  digest                   " + Digest.of(UnitNode.OLD),
                        "  /etc/app.toml            "
                                + Digest.of(UnitNode.OLD_CONFIG)
                                + " root:app rw-r-----");
    }

    @Test
    void adoptedAgainNothingChanges() {
        agent.adopter.recordAndAdopt(agent.adopter.inspect(UnitNode.request("v1")));
        String before = node.whole();
        AdoptionReport again = node.agent(1).adopter.inspect(UnitNode.request("v1"));
        node.agent(1).adopter.recordAndAdopt(again);
        assertThat(again.adoption()).isInstanceOf(AdoptionDecision.AlreadyAdopted.class);
        assertThat(node.whole()).isEqualTo(before);
    }

    @Test
    @DisplayName("An agent that finds the profile alone takes the unit over by itself")
    void anAgentGoesOnAfterAnInterruptedAdoption() {
        agent.state.saveRecord(
                ((AdoptionDecision.Adopted)
                                agent.adopter.inspect(UnitNode.request("v1")).adoption())
                        .profile());
        assertThat(node.agent(1).boot().status()).isInstanceOf(ProgramState.Up.class);
    }

    @Test
    void namesTheVersionByTheManifestsOfItsChain() {
        AdoptionRequest request = UnitNode.request("");
        KnownVersion published = new KnownVersion(Digest.of(UnitNode.OLD), "v0.9", "");
        AdoptionReport survey =
                agent.adopter.inspect(
                        new AdoptionRequest(request.program(), "", "", List.of(published)));
        assertThat(survey.adoption())
                .isInstanceOfSatisfying(
                        AdoptionDecision.Adopted.class,
                        taken -> assertThat(taken.version()).isEqualTo(published));
    }

    @Test
    void refusesAUnitThatIsNotThere() {
        refused("other.service", ReasonCode.PROGRAM_REFUSED)
                .hasMessageContaining("other.service is not-found on this node");
    }

    @Test
    void refusesAUnitThatDoesNotRun() {
        node.units.stop(UnitNode.UNIT, node.ticker.deadlineIn(Duration.ofMinutes(1)));
        refused("app.service", ReasonCode.NOT_RUNNING).hasMessageContaining("start it, then adopt");
    }

    @Test
    void refusesAnExecutableThatIsNotTheProfiles() {
        node.processes
                .allProcesses()
                .keySet()
                .forEach(pid -> node.processes.pretendExecutable(pid, "/usr/bin/java"));
        refused("app.service", ReasonCode.OTHER_PROGRAM)
                .hasMessage(
                        "app.service runs /usr/bin/java, the profile says /usr/bin/app: correct the"
                                + " program's path in the profile.");
    }

    @Test
    @DisplayName("D5: a file that was changed under its process proves nothing")
    void refusesAFileThatIsNotWhatRuns() {
        node.disk.putDurableFile(Path.of("/usr/bin/app"), UnitNode.NEW, FileAttributes.PROGRAM);
        refused("app.service", ReasonCode.OTHER_PROGRAM).hasMessageContaining("start it again");
    }

    @Test
    void refusesAUnitThatTheNodesOwnerDoesNotList() {
        node.settings.put("units", "db.service");
        ProgramProfile program = UnitNode.request("v1").program();
        assertThatThrownBy(
                        () ->
                                node.agent(1)
                                        .adopter
                                        .inspect(new AdoptionRequest(program, "v1", "", List.of())))
                .isInstanceOfSatisfying(
                        ActionFailed.class,
                        e -> assertThat(e.reason()).isEqualTo(ReasonCode.PROGRAM_REFUSED))
                .hasMessageContaining("not among the units");
    }

    private AbstractThrowableAssert<?, ?> refused(String unit, ReasonCode reason) {
        ProgramProfile program = new ProgramProfile(UnitNode.spec(unit), List.of(UnitNode.CONFIG));
        String before = node.whole();
        AbstractThrowableAssert<?, ?> refused =
                assertThatThrownBy(
                                () ->
                                        agent.adopter.inspect(
                                                new AdoptionRequest(program, "v1", "", List.of())))
                        .isInstanceOfSatisfying(
                                ActionFailed.class, e -> assertThat(e.reason()).isEqualTo(reason));
        assertThat(node.whole()).isEqualTo(before);
        return refused;
    }
}
