package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.standalone.fleet.NodesFile;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks the addresses of {@code nodes.yaml} that the next {@code up} fetches: those of nodes that
 * are not installed yet. Files must exist, and HTTP servers must respond to a HEAD request.
 */
final class InitialArtifactCheck {
    private static final String CHECK = "config";
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int MAX_ADDRESSES = 20; // each may take the deadline

    private InitialArtifactCheck() {}

    static List<DoctorFinding> run(DataDirectory data, Path config) {
        Path file = config.resolve("nodes.yaml");
        if (!Files.exists(file)) {
            return List.of();
        }
        Map<String, String> users = new LinkedHashMap<>();
        for (PlannedNode node : readNodes(file)) {
            if (!Files.exists(data.node(node.name()).state().resolve("profile.json"))) {
                for (InitialProgram program : node.programs()) {
                    users.putIfAbsent(
                            program.url(), "program " + program.name() + " of node " + node.name());
                }
            }
        }
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(DEADLINE).build()) {
            return users.entrySet().stream()
                    .limit(MAX_ADDRESSES)
                    .flatMap(
                            one ->
                                    findProblem(client, one.getKey())
                                            .map(why -> finding(one.getValue(), why))
                                            .stream())
                    .toList();
        }
    }

    /** A broken file is a finding of {@link ConfigCheck}. */
    private static List<PlannedNode> readNodes(Path file) {
        try {
            return NodesFile.read(file);
        } catch (UserFacingError e) {
            return List.of();
        }
    }

    private static DoctorFinding finding(String user, String why) {
        return DoctorFinding.fail(
                CHECK, "nodes.yaml: the url of " + user + " cannot be fetched: " + why);
    }

    /** Never with the address, which may contain a secret. */
    private static Optional<String> findProblem(HttpClient client, String url) {
        try {
            URI address = URI.create(url);
            return "file".equals(address.getScheme())
                    ? findFileProblem(Path.of(address.getPath()))
                    : findHttpProblem(client, address);
        } catch (IllegalArgumentException e) {
            return Optional.of("it is not an address. Correct it.");
        }
    }

    private static Optional<String> findFileProblem(Path file) {
        return Files.isReadable(file) && Files.isRegularFile(file)
                ? Optional.empty()
                : Optional.of("there is no readable file " + file + ". Correct it.");
    }

    private static Optional<String> findHttpProblem(HttpClient client, URI address) {
        HttpRequest head =
                HttpRequest.newBuilder(address)
                        .timeout(DEADLINE)
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build();
        try {
            int status = client.send(head, HttpResponse.BodyHandlers.discarding()).statusCode();
            boolean refusesHead = status == 405 || status == 501; // says nothing about GET
            return status < 400 || refusesHead
                    ? Optional.empty()
                    : Optional.of(
                            address.getHost()
                                    + " responds with status "
                                    + status
                                    + ". Correct it.");
        } catch (IOException e) {
            return Optional.of(
                    address.getHost() + " does not respond. Correct it, or start the server.");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The doctor was stopped.", e);
        }
    }
}
