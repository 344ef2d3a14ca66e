package drover.standalone.demo;

import drover.localenv.NodeDirectory;
import drover.model.Digest;
import drover.standalone.fleet.AgentlessProgramStopper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What really runs on a node, asked of the process itself and not of Drover.
 *
 * @param processes processes of the node's program; one is right
 * @param version what the program answers over HTTP; empty when it does not answer
 * @param digest what the program answers over HTTP
 * @param openFile digest of the jar file that the process holds open, read through {@code /proc}
 * @param greeting from the configuration that the program read
 */
record NodeInspection(
        int processes, String version, String digest, String openFile, String greeting) {
    /** Nothing was asked yet, so nothing is proven. */
    static final NodeInspection NOTHING = new NodeInspection(0, "", "", "", "");

    private static final Duration ANSWER = Duration.ofSeconds(5);
    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** Asks the process of a node. */
    static NodeInspection inspect(HttpClient client, NodeDirectory node, int port) {
        List<ProcessHandle> running = AgentlessProgramStopper.processesOf(List.of(node));
        String openFile = running.size() == 1 ? digestOfOpenJar(running.getFirst().pid()) : "";
        try {
            HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/version"))
                            .timeout(ANSWER)
                            .build();
            JsonNode answer =
                    JSON.readTree(
                            client.send(request, HttpResponse.BodyHandlers.ofString()).body());
            return new NodeInspection(
                    running.size(),
                    answer.path("version").asString(""),
                    answer.path("digest").asString(""),
                    openFile,
                    answer.path("config").path("greeting").asString(""));
        } catch (IOException | JacksonException e) {
            return new NodeInspection(running.size(), "", "", openFile, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new NodeInspection(running.size(), "", "", openFile, "");
        }
    }

    /** True when one process runs, and both it and the kernel say that it is this artifact. */
    boolean isRunning(Digest artifact) {
        return processes == 1
                && digest.equals(artifact.value())
                && openFile.equals(artifact.value());
    }

    /** A replaced file stays what it was for the process that holds it open. */
    private static String digestOfOpenJar(long pid) {
        Set<String> found = new HashSet<>();
        try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            for (Path descriptor : open.toList()) {
                if (isJar(descriptor)) {
                    found.add(Digest.of(Files.readAllBytes(descriptor)).value());
                }
            }
        } catch (IOException e) {
            return ""; // it has just ended
        }
        return found.size() == 1 ? found.iterator().next() : "";
    }

    private static boolean isJar(Path descriptor) throws IOException {
        if (!Files.isSymbolicLink(descriptor)) {
            return false;
        }
        String target = Files.readSymbolicLink(descriptor).toString();
        return target.replace(" (deleted)", "").endsWith("greeter.jar");
    }
}
