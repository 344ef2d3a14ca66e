package drover.opsagent.docker.recreate;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.Digest;
import drover.model.NodePath;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.opsagent.docker.DockerNode;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import drover.opsagent.docker.engine.ImageDigests;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.docker.engine.RestartPolicy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.node.ObjectNode;

/** What takes the place of a container. */
class CreateContainerBodyTest {
    private static final Image OLD = image("{'Env': ['PATH=/bin', 'V=1'], 'Cmd': ['one']}");
    private static final Image NEW = image("{'Env': ['PATH=/usr/bin', 'V=2'], 'Cmd': ['two']}");

    @Test
    @DisplayName("The new image's own defaults come through, what people set stays")
    void takesTheDefaultsOfTheNewImage() {
        Container old = container("{'Env': ['OWN=1', 'PATH=/bin', 'V=1'], 'Cmd': ['one']}");
        Container next = made(old, launch(List.of(), Map.of()));
        assertThat(EngineJson.toStrings(next.config().path("Cmd"))).containsExactly("two");
        assertThat(EngineJson.toStrings(next.config().path("Env")))
                .containsExactlyInAnyOrder("OWN=1", "PATH=/usr/bin", "V=2");
        assertThat(next.label(CreateContainerBody.REPLACES)).isEqualTo(old.id());
        assertThat(next.restartPolicy()).isEqualTo(RestartPolicy.NO);
    }

    @Test
    @DisplayName("A launch specification is the whole command line, without a shell")
    void launchesAsSpecified() {
        Container old = container("{'Cmd': ['one']}");
        Container next =
                made(
                        old,
                        launch(
                                List.of("{path}", "--home", "{root}/var", "--root={root}"),
                                Map.of("A", "1", "HOME_DIR", "{root}/home", "SELF", "{path}")));
        assertThat(EngineJson.toStrings(next.config().path("Entrypoint")))
                .containsExactly("/bin/app");
        assertThat(EngineJson.toStrings(next.config().path("Cmd")))
                .containsExactly("--home", "/var", "--root=/");
        assertThat(EngineJson.toStrings(next.config().path("Env")))
                .contains("A=1", "HOME_DIR=/home", "SELF=/bin/app");
    }

    @Test
    @DisplayName("What an earlier launch specification set goes when the next does not set it")
    void removesTheSettingsOfAnEarlierLaunch() {
        Container first =
                made(
                        container("{'Env': ['OWN=1'], 'Cmd': ['one']}"),
                        launch(List.of("{path}", "x"), Map.of("A", "1")));
        ObjectNode body =
                CreateContainerBody.of(first, NEW, "app:3", launch(List.of(), Map.of("B", "2")));
        Container second = ContainerPredictor.predict(body, List.of(), NEW);
        assertThat(EngineJson.toStrings(second.config().path("Env")))
                .contains("OWN=1", "B=2")
                .doesNotContain("A=1");
        assertThat(EngineJson.toStrings(second.config().path("Cmd"))).containsExactly("two");
        assertThat(EngineJson.isAbsentEmptyOrFalse(second.config().path("Entrypoint"))).isTrue();
    }

    @Test
    void reportsWhetherAContainerMatchesItsSpecification() {
        LaunchSpec launch = launch(List.of(), Map.of("A", "1"));
        Container old = container("{'Env': ['A=1'], 'Cmd': ['one']}");
        assertThat(SpecifiedLaunchFieldsLabel.matches(old, launch)).isTrue();
        assertThat(SpecifiedLaunchFieldsLabel.matches(old, launch(List.of(), Map.of("A", "2"))))
                .isFalse();
        Container made = made(old, launch);
        assertThat(SpecifiedLaunchFieldsLabel.matches(made, launch)).isTrue();
        assertThat(SpecifiedLaunchFieldsLabel.matches(made, launch(List.of(), Map.of()))).isFalse();
    }

    @ParameterizedTest
    @DisplayName(
            "A configuration file lies on the machine's side of the nearest bind, else nowhere")
    @CsvSource({
        "/etc/app/app.toml, /srv/app/app.toml",
        "/etc/app/sub/x, /srv/sub/x",
        "/etc/one.toml, /srv/one",
        "/etc/apple, ''",
        "/data/x, ''",
        "/etc/app/vol/x, ''"
    })
    void findsFilesOnTheMachine(String path, String expected) {
        List<Mount> mounts =
                List.of(
                        new Mount("bind", "/srv/app", "/etc/app", false),
                        new Mount("bind", "/srv/sub", "/etc/app/sub/", true),
                        new Mount("bind", "/srv/one", "/etc/one.toml", true),
                        new Mount("volume", "v1", "/data", true),
                        new Mount("volume", "v2", "/etc/app/vol", true));
        assertThat(Mount.findHostPath(mounts, new NodePath(path)).orElse("")).isEqualTo(expected);
    }

    @Test
    @DisplayName(
            "What runs is told by the name it was made of, else by what its image was got under")
    void printsTheDigest() {
        Digest first = Digest.of("first");
        Digest other = Digest.of("other");
        Image got =
                new Image(
                        DockerNode.json(
                                "{'RepoDigests': ['a.test/x@%s', 'b.test/app@%s']}"
                                        .formatted(other, first)));
        Container tagged = container("{'Image': 'b.test/app:1'}");
        Container pinned = container("{'Image': 'c.test/app@%s'}".formatted(other));
        assertThat(ImageDigests.of(tagged, Optional.of(got))).isEqualTo(first);
        assertThat(ImageDigests.of(pinned, Optional.of(got))).isEqualTo(other);
        tagged.json().put("Image", Digest.of("id").value());
        assertThat(ImageDigests.of(tagged, Optional.empty())).isEqualTo(Digest.of("id"));
    }

    @ParameterizedTest
    @CsvSource({
        "registry.test:5000/team/app:1@sha256:x, registry.test:5000/team/app, registry.test:5000",
        "localhost/app, localhost/app, localhost",
        "team/app:2, team/app, docker.io",
        "app, app, docker.io"
    })
    void readsTheNamesOfImages(String name, String repository, String registry) {
        assertThat(ImageDigests.repositoryName(name)).isEqualTo(repository);
        assertThat(ImageDigests.registryHost(name)).isEqualTo(registry);
    }

    private static Container made(Container old, LaunchSpec launch) {
        ObjectNode body = CreateContainerBody.of(old, OLD, "app:2", launch);
        return ContainerPredictor.predict(body, List.of(), NEW);
    }

    private static LaunchSpec launch(List<String> arguments, Map<String, String> environment) {
        return new LaunchSpec(
                new NodePath("/bin/app"),
                "app",
                arguments,
                environment,
                "",
                ProgramDigestSource.EXE);
    }

    private static Container container(String config) {
        ObjectNode json = DockerNode.json("{'Id': 'ea0037227bf0e68a', 'Name': '/app'}");
        json.set("Config", DockerNode.json(config));
        json.set("HostConfig", DockerNode.json("{'RestartPolicy': {'Name': 'unless-stopped'}}"));
        return new Container(json);
    }

    private static Image image(String config) {
        ObjectNode json = DockerNode.json("{'Id': 'sha256:1'}");
        json.set("Config", DockerNode.json(config));
        return new Image(json);
    }
}
