package drover.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.manifest.parse.ManifestSamples;
import drover.manifest.v1.ManifestCatalogServiceGrpc;
import drover.manifest.v1.RenderConfigsRequest;
import drover.manifest.v1.RenderConfigsResponse;
import drover.manifest.v1.RenderNode;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The largest request over a real port. */
class ManifestServiceIT {
    private static final int LARGEST_ANSWER = 64 * 1024 * 1024;
    private static final int NODES = 10_000;

    @TempDir Path root;

    @Test
    void rendersTenThousandNodesInOneCall() throws Exception {
        Files.createDirectories(root.resolve("chains"));
        Files.createDirectories(root.resolve("templates"));
        Files.writeString(root.resolve("chains/celestia.yaml"), ManifestSamples.PROFILE);
        Files.writeString(root.resolve("templates/config.toml.tmpl"), "{{ .node_id }}\n");
        ManifestServiceConfig config =
                new ManifestServiceConfig(
                        root, new Address.Tcp("127.0.0.1", 0), Duration.ofSeconds(2));
        try (ManifestService service = ManifestService.start(config)) {
            ManagedChannel channel = Channels.open(new Address.Tcp("127.0.0.1", service.port()));

            RenderConfigsResponse response =
                    ManifestCatalogServiceGrpc.newBlockingStub(channel)
                            .withMaxInboundMessageSize(LARGEST_ANSWER)
                            .withDeadlineAfter(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)
                            .renderConfigs(request());
            channel.shutdownNow();

            assertThat(response.getNodesCount()).isEqualTo(NODES);
            assertThat(response.getContentsCount()).isEqualTo(NODES);
        }
    }

    private static RenderConfigsRequest request() {
        RenderConfigsRequest.Builder request =
                RenderConfigsRequest.newBuilder()
                        .setChainProfileId("celestia")
                        .setBinaryName("celestia-node")
                        .setInitial(true);
        for (int i = 0; i < NODES; i++) {
            request.addNodes(
                    RenderNode.newBuilder()
                            .setNodeId("node-" + i)
                            .setNodeType("full")
                            .putLabels("note", "x".repeat(500))); // beyond gRPC's usual 4 MiB
        }
        return request.build();
    }
}
