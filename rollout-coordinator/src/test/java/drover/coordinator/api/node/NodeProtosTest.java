package drover.coordinator.api.node;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ProgramReport;
import drover.node.v1.Node;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class NodeProtosTest {
    @Test
    @DisplayName("H14: a node shows the addresses of its programs without their queries")
    void redactsTheAddressesOfPrograms() {
        Node node =
                Node.newBuilder()
                        .setId("node-1")
                        .addPrograms(
                                ProgramReport.newBuilder()
                                        .setName("web")
                                        .setArtifactUrl("https://files.test/web?sig=SECRET"))
                        .build();
        Node shown = NodeProtos.redact(node);
        assertThat(shown.toString()).doesNotContain("SECRET");
        assertThat(shown.getPrograms(0).getArtifactUrl()).isEqualTo("https://files.test/web");
        assertThat(shown.getPrograms(0).getName()).isEqualTo("web");
    }
}
