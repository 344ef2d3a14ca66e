package drover.opsagent.docker.recreate;

import static org.assertj.core.api.Assertions.assertThat;

import drover.opsagent.docker.DockerNode;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.EngineJson;
import drover.opsagent.docker.engine.Image;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.node.ObjectNode;

/** What a container would lose by being made anew. */
class RecreationCheckTest {
    private static final String ID =
            "ea0037227bf0e68a82d01e125f8608ac10e670937c6b2b6becede93fa38f0d9e";
    private static final Image IMAGE =
            new Image(
                    DockerNode.json(
                            """
                            {'Id': 'sha256:1', 'Config': {'Env': ['PATH=/bin', 'V=1'],
                             'Cmd': ['serve'], 'Entrypoint': ['/app'], 'User': 'app',
                             'WorkingDir': '/work', 'Labels': {'v': '1'},
                             'Volumes': {'/data': {}}, 'ExposedPorts': {'80/tcp': {}},
                             'Healthcheck': {'Test': ['CMD', '/ok']}, 'StopSignal': 'SIGINT'}}
                            """));

    @Test
    @DisplayName("A container that only has what its image says is made anew as it is")
    void losesNothingOfAPlainContainer() {
        assertThat(obstacles(plain())).isEmpty();
    }

    @ParameterizedTest
    @DisplayName("What people set in the configuration, known here or not, comes along")
    @ValueSource(
            strings = {
                "{'Env': ['PATH=/bin', 'V=1', 'OWN=1']}",
                "{'Env': ['PATH=/elsewhere', 'V=1']}",
                "{'Cmd': ['other']}",
                "{'Entrypoint': ['/other'], 'Cmd': null}",
                "{'Entrypoint': ['/other'], 'Cmd': ['serve']}",
                "{'Entrypoint': ['/other'], 'Cmd': ['more']}",
                "{'Labels': {'v': '1', 'team': 'a'}}",
                "{'Labels': {'v': '2'}}",
                "{'User': 'root', 'WorkingDir': '/else', 'StopSignal': 'SIGTERM'}",
                "{'Healthcheck': {'Test': ['NONE']}}",
                "{'ExposedPorts': {'80/tcp': {}, '81/udp': {}}}",
                "{'Hostname': 'chosen', 'Domainname': 'example.test', 'Tty': true}",
                "{'StopTimeout': 30}",
                "{'FieldOfALaterEngine': {'deep': [1, 2]}}"
            })
    void bringsTheConfigurationAlong(String config) {
        ObjectNode json = plain();
        ((ObjectNode) json.path("Config")).setAll(DockerNode.json(config));
        assertThat(obstacles(json)).isEmpty();
        assertThat(again(json).path("Config")).isEqualTo(again(again(json)).path("Config"));
    }

    @ParameterizedTest
    @DisplayName("So does what was set of its host, known here or not")
    @ValueSource(
            strings = {
                "{'Memory': 1048576, 'NanoCpus': 5, 'PidsLimit': 10, 'ShmSize': 64}",
                "{'PortBindings': {'80/tcp': [{'HostIp': '127.0.0.1', 'HostPort': '8080'}]}}",
                "{'CapAdd': ['NET_ADMIN'], 'CapDrop': ['ALL'], 'Privileged': true}",
                "{'LogConfig': {'Type': 'journald', 'Config': {'tag': 'x'}}}",
                "{'NetworkMode': 'host'}",
                "{'UTSMode': 'host'}",
                "{'RestartPolicy': {'Name': 'always', 'MaximumRetryCount': 0}}",
                "{'Ulimits': [{'Name': 'nofile', 'Soft': 1, 'Hard': 2}]}",
                "{'Tmpfs': {'/tmp': 'size=1m'}}",
                "{'FieldOfALaterEngine': {'deep': [1, 2]}}"
            })
    void bringsTheHostsPartAlong(String host) {
        ObjectNode json = plain();
        ((ObjectNode) json.path("HostConfig")).setAll(DockerNode.json(host));
        assertThat(obstacles(json)).isEmpty();
    }

    @ParameterizedTest
    @DisplayName("What cannot come along is named, and refused before anything is touched")
    @CsvSource(
            delimiter = '|',
            value = {
                "{'AutoRemove': true} | HostConfig.AutoRemove",
                "{'Links': ['/db:/web/db']} | HostConfig.Links",
                "{'VolumesFrom': ['other']} | HostConfig.VolumesFrom",
            })
    void namesWhatCannotComeAlong(String host, String name) {
        ObjectNode json = plain();
        ((ObjectNode) json.path("HostConfig")).setAll(DockerNode.json(host));
        assertThat(obstacles(json)).anyMatch(obstacle -> obstacle.startsWith(name));
    }

    @Test
    void refusesWhatASwarmMakesByItself() {
        ObjectNode json = plain();
        EngineJson.putObjectCopy((ObjectNode) json.path("Config"), "Labels")
                .put("com.docker.swarm.service.id", "s1");
        assertThat(obstacles(json)).hasSize(1);
    }

    @Test
    @DisplayName(
            "A command that the image has and the container was told not to have is an obstacle")
    void namesACommandThatWouldComeBack() {
        ObjectNode json = plain();
        ((ObjectNode) json.path("Config"))
                .setAll(DockerNode.json("{'Entrypoint': [], 'Cmd': ['serve']}"));
        assertThat(obstacles(json)).anyMatch(it -> it.startsWith("Config.Entrypoint: absent"));
    }

    @Test
    @DisplayName("A mount that no part of the configuration asks for is an obstacle")
    void namesAMountOutOfNowhere() {
        ObjectNode json = plain();
        mount(json, "bind", "/srv", "/etc/app", false);
        assertThat(obstacles(json))
                .containsExactly("Mounts[/etc/app]: bind /srv read-only would become absent");
    }

    @Test
    @DisplayName("A volume without a name is the same volume afterwards, not a new one")
    void keepsTheVolumesThatHaveNoName() {
        ObjectNode body = CreateContainerBody.ofUnchanged(new Container(plain()), IMAGE, "app:1");
        assertThat(EngineJson.toStrings(body.path("HostConfig").path("Binds")))
                .containsExactly("v1:/data");
        ObjectNode requested = plain();
        ((ObjectNode) requested.path("HostConfig"))
                .setAll(DockerNode.json("{'Mounts': [{'Type': 'volume', 'Target': '/data/'}]}"));
        assertThat(obstacles(requested)).isEmpty();
        assertThat(
                        CreateContainerBody.ofUnchanged(new Container(requested), IMAGE, "app:1")
                                .path("HostConfig")
                                .path("Mounts")
                                .get(0)
                                .path("Source")
                                .asString())
                .isEqualTo("v1");
    }

    @Test
    @DisplayName("Aliases and addresses of people come along, those of the engine do not")
    void keepsItsPlaceInNetworks() {
        ObjectNode json = plain();
        ((ObjectNode) json.path("HostConfig")).put("NetworkMode", "front");
        json.set(
                "NetworkSettings",
                DockerNode.json(
                        """
                        {'Networks': {'back': {'Aliases': ['store', 'ea0037227bf0']},
                          'front': {'IPAMConfig': {'IPv4Address': '10.0.0.9'}, 'NetworkID': 'n1',
                             'IPAddress': '10.0.0.9', 'MacAddress': '02:42:0a', 'Gateway': 'g'}}}
                        """));
        Container container = new Container(json);
        assertThat(RecreationCheck.findObstacles(container, IMAGE)).isEmpty();
        assertThat(
                        CreateContainerBody.ofUnchanged(container, IMAGE, "app:1")
                                .path("NetworkingConfig")
                                .path("EndpointsConfig"))
                .isEqualTo(
                        DockerNode.json("{'front': {'IPAMConfig': {'IPv4Address': '10.0.0.9'}}}"));
        assertThat(NetworkEndpoints.additionalEndpoints(container))
                .containsExactly(
                        new NetworkEndpoints.Endpoint(
                                "back", DockerNode.json("{'Aliases': ['store']}")));
    }

    @Test
    void reportsTheDifferenceOfTwoContainers() {
        ObjectNode other = plain();
        ((ObjectNode) other.path("HostConfig")).put("Memory", 5);
        assertThat(RecreationCheck.findDifferences(new Container(plain()), new Container(other)))
                .containsExactly("HostConfig.Memory: 0 would become 5");
        assertThat(RecreationCheck.summarize(List.of("a", "b", "c", "d", "e")))
                .contains("a; b; c; and 2 more");
    }

    private static List<String> obstacles(ObjectNode json) {
        return RecreationCheck.findObstacles(new Container(json), IMAGE);
    }

    private static ObjectNode again(ObjectNode json) {
        ObjectNode body = CreateContainerBody.ofUnchanged(new Container(json), IMAGE, "app:1");
        return ContainerPredictor.predict(body, List.of(), IMAGE).json();
    }

    private static void mount(
            ObjectNode json, String type, String source, String destination, boolean writable) {
        var mounts = json.withArray("Mounts");
        mounts.addObject()
                .put("Type", type)
                .put(type.equals("volume") ? "Name" : "Source", source)
                .put("Destination", destination)
                .put("RW", writable);
    }

    private static ObjectNode plain() {
        ObjectNode json = DockerNode.json("{'Name': '/app', 'Image': 'sha256:1', 'Mounts': []}");
        json.put("Id", ID);
        ObjectNode config = EngineJson.copyObject(IMAGE.json(), "Config");
        json.set("Config", config.put("Image", "app:1").put("Hostname", "ea0037227bf0"));
        json.set(
                "HostConfig",
                DockerNode.json("{'NetworkMode': 'default', 'Memory': 0, 'Binds': null}"));
        mount(json, "volume", "v1", "/data", true);
        return json;
    }
}
