package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.Console;
import drover.cli.DroverCommand;
import drover.cli.Terminal;
import drover.model.Digest;
import drover.model.NodeId;
import drover.standalone.command.LocalCommands;
import drover.standalone.home.DataDirectory;
import drover.standalone.home.NodeDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes are made ready for agents of their own where the services run elsewhere. */
class PrepareIT {
    @TempDir Path folder;

    @Test
    void registersANodeAndLaysItOutOnce() throws IOException {
        WholeBuild.requireEverything();
        DataDirectory nodes = new DataDirectory(folder.resolve("nodes"));
        NodeDirectory quay = nodes.node(new NodeId("quay-1"));
        try (TestMesh mesh = TestMesh.demo(folder.resolve("mesh"), 1)) {
            Path greeter = mesh.data.config().resolve("artifacts/greeter-v1.jar");
            Files.writeString(
                    Files.createDirectory(folder.resolve("config")).resolve("nodes.yaml"),
                    """
                    nodes:
                      - name: quay-1
                        chain: harbour
                        type: edge
                        labels: { var.port: "{port}" }
                        programs:
                          - { name: greeter, version: v1, url: "%s", checksum: "%s" }
                    """
                            .formatted(greeter.toUri(), Digest.of(Files.readAllBytes(greeter))));

            assertThat(prepare(mesh, nodes)).isEqualTo("quay-1 is ready in " + quay.path() + ".\n");
            String token = quay.token();
            assertThat(quay.root().resolve("opt/greeter/greeter.jar"))
                    .hasSameBinaryContentAs(greeter);
            assertThat(mesh.rest.get("/api/v1/nodes/quay-1").text("/node/chain_profile_id"))
                    .isEqualTo("harbour");

            Files.writeString(quay.root().resolve("etc/greeter/greeter.conf"), "by hand");
            assertThat(prepare(mesh, nodes)).contains("quay-1 is ready");
            assertThat(quay.token()).isEqualTo(token);
            assertThat(quay.root().resolve("etc/greeter/greeter.conf")).hasContent("by hand");
        }
    }

    private String prepare(TestMesh mesh, DataDirectory nodes) {
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said, true);
        Console console = Console.of(out, out, Terminal.PLAIN);
        int code =
                LocalCommands.addTo(DroverCommand.commandLine(console))
                        .execute(
                                "prepare",
                                "--data=" + nodes.root(),
                                "--config=" + folder.resolve("config"),
                                "--manifests=in-process:manifests@" + mesh.data.root(),
                                "--gateway=in-process:gateway@" + mesh.data.root());
        assertThat(code).as("%s", said).isZero();
        return said.toString();
    }
}
