package drover.opsagent.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodePath;
import drover.opsagent.adopt.AdoptionReport;
import drover.opsagent.adopt.AdoptionRequest;
import drover.opsagent.adopt.ProgramAdopter;
import drover.opsagent.disk.NodeRoot.PathRefused;
import drover.opsagent.docker.SimulatedEngine.ProgramBehavior;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import drover.opsagent.runtime.ProgramState;
import drover.opsagent.store.ProgramProfile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A container that runs already is taken over as it is. */
class ContainerAdoptionTest {
    private final DockerNode node = DockerNode.found(ProgramBehavior.RUNS);
    private final DockerNode.Agent agent = node.agent(0);

    @Test
    @DisplayName("What is adopted is what an agent then upgrades and brings back")
    void anAgentUpgradesWhatWasAdopted() {
        String before = node.app().json().toString();
        agent.adopter.recordAndAdopt(agent.adopter.inspect(DockerNode.request("v1")));
        assertThat(node.app().json()).hasToString(before);
        assertThat(agent.state.loadProfile().findVersionOrUnknown(DockerNode.OLD_DIGEST).url())
                .as("where a rollback without backup gets it")
                .isEqualTo(DockerNode.OLD);
        DockerNode.Agent next = node.agent(1).boot();
        assertThat(next.runtime.status(DockerNode.APP)).isInstanceOf(ProgramState.Up.class);
        next.processor.process(node.upgrade(1));
        assertThat(node.isNew()).isTrue();
        next.processor.process(DockerNode.restore(2, 1));
        assertThat(node.isOld()).isTrue();
    }

    @Test
    void aSurveyWritesNothingAtAll() {
        var before = node.fingerprint();
        AdoptionReport survey = agent.adopter.inspect(DockerNode.request("v1"));
        assertThat(node.fingerprint()).isEqualTo(before);
        assertThat(survey.lines())
                .contains(
                        "Found: container app",
                        "  runs                     " + DockerNode.OLD,
                        "  digest                   " + DockerNode.OLD_DIGEST)
                .anyMatch(line -> line.contains(" at /srv/app/app.toml"));
    }

    @Test
    void adoptedAgainNothingChanges() {
        agent.adopter.recordAndAdopt(agent.adopter.inspect(DockerNode.request("v1")));
        var before = node.fingerprint();
        ProgramAdopter again = node.agent(1).adopter;
        again.recordAndAdopt(again.inspect(DockerNode.request("v1")));
        assertThat(node.fingerprint()).isEqualTo(before);
    }

    @Test
    void refusesAContainerThatIsNotThere() {
        node.engine.rename(node.app().id(), "other");
        refused(DockerNode.request("v1"), ReasonCode.UNKNOWN_PROGRAM, "no container app");
    }

    @Test
    void refusesAContainerThatDoesNotRun() {
        node.engine.stop(node.app().id(), Duration.ofSeconds(1));
        refused(DockerNode.request("v1"), ReasonCode.NOT_RUNNING, "start it, then adopt it");
    }

    @Test
    void refusesAnImageWithoutADigest() {
        String local = "made/here:1";
        node.engine.buildImage(local, DockerNode.json("{'Cmd': ['/app']}"), ProgramBehavior.RUNS);
        node.engine.rename(node.app().id(), "other");
        ObjectNode body =
                DockerNode.json(
                        "{'Image': 'made/here:1', 'HostConfig': {'Binds': ['/srv/app:/etc/app:ro']}}");
        node.engine.start(node.engine.create("app", body));
        refused(DockerNode.request("v1"), ReasonCode.PROGRAM_REFUSED, "came from no registry");
    }

    @Test
    void refusesAContainerThatIsLaunchedOtherwise() {
        refused(
                DockerNode.request("v1", DockerNode.launch(Map.of("LEVEL", "new"))),
                ReasonCode.OTHER_PROGRAM,
                "other arguments, environment or user");
    }

    @Test
    void refusesAFileThatNoMountShows() {
        ProgramProfile program =
                new ProgramProfile(
                        DockerNode.spec(DockerNode.launch(Map.of())),
                        List.of(new NodePath("/inside/app.toml")));
        AdoptionRequest request = new AdoptionRequest(program, "v1", "", List.of());
        assertThatThrownBy(() -> agent.adopter.inspect(request))
                .isInstanceOf(PathRefused.class)
                .hasMessageContaining("bind-mount one there");
    }

    private void refused(AdoptionRequest request, ReasonCode reason, String why) {
        assertThatThrownBy(() -> agent.adopter.inspect(request))
                .isInstanceOfSatisfying(
                        ActionFailed.class, e -> assertThat(e.reason()).isEqualTo(reason))
                .hasMessageContaining(why);
    }
}
