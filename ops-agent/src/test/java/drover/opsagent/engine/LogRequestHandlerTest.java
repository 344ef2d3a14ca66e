package drover.opsagent.engine;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.program.BinaryName;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.engine.LogRequestHandler.Request;
import drover.opsagent.engine.LogRequestHandler.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reads of a program's output, on a node whose disk is simulated. */
class LogRequestHandlerTest {
    private static final Path LOG = SimulatedNode.STATE.resolve("run/app/output.log");

    private final SimulatedNode node = SimulatedNode.running(new HashMap<>());
    private final SimulatedNode.Agent agent = node.agent(1).boot();
    private final List<String> responses = new ArrayList<>();
    private final LogRequestHandler logs =
            new LogRequestHandler(
                    () -> List.of(new BinaryName("app"), new BinaryName("web")),
                    agent.runtime,
                    () -> responses.add("one"));

    private Response read(String program) {
        logs.setPendingRequest(new Request("r1", program));
        logs.readPending();
        return logs.takeResponse().orElseThrow();
    }

    private void printed(String text) {
        node.disk.putDurableFile(LOG, SimulatedNode.bytes(text), FileAttributes.PRIVATE);
    }

    @Test
    void returnsTheEndOfTheOutputOnce() {
        printed("x".repeat(100_000) + "\nheight 8\n");

        Response response = read("app");

        assertThat(response.requestId()).isEqualTo("r1");
        assertThat(response.text()).hasSize(32 * 1024).endsWith("x\nheight 8\n");
        assertThat(response.detail()).isEmpty();
        assertThat(logs.takeResponse()).isEmpty();
        logs.readPending();
        assertThat(responses).as("a response without a request").hasSize(1);
    }

    @Test
    void limitsTheBytesOfOutputThatIsNoText() {
        byte[] noise = new byte[100_000];
        Arrays.fill(noise, (byte) 0x80);
        node.disk.putDurableFile(LOG, noise, FileAttributes.PRIVATE);

        String text = read("app").text();

        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isBetween(32_766, 32_768);
    }

    @Test
    void keepsWholeCharacters() {
        assertThat(LogRequestHandler.lastBytes("aé€🚢", 4)).isEqualTo("🚢");
        assertThat(LogRequestHandler.lastBytes("aé€🚢", 6)).isEqualTo("🚢");
        assertThat(LogRequestHandler.lastBytes("aé€🚢", 9)).isEqualTo("é€🚢");
        assertThat(LogRequestHandler.lastBytes("aé€🚢", 10)).isEqualTo("aé€🚢");
    }

    @Test
    void namesTheProgramsOfTheNodeForAnotherName() {
        assertThat(read("../app").detail())
                .isEqualTo("The node has no such program; it has app, web.");
        assertThat(read("database").text()).isEmpty();
    }
}
