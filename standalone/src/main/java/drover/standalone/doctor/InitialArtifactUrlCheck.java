package drover.standalone.doctor;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.model.program.DownloadAddress;
import drover.standalone.fleet.NodesFileReader;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.PlannedNode.InitialProgram;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.Set;

/**
 * Checks the addresses of {@code nodes.yaml} that the next {@code up} fetches: those of nodes that
 * are not installed yet. Files must exist, and HTTP servers must respond to a GET request for one
 * byte: a presigned address is valid for GET alone.
 */
final class InitialArtifactUrlCheck {
    private static final String CHECK = "config";
    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final int MAX_ADDRESSES = 20; // each may take the deadline

    /** Statuses of a server that requires a credential, which only the node has. */
    private static final Set<Integer> UNAUTHORIZED = Set.of(401, 403, 407);

    private InitialArtifactUrlCheck() {}

    static List<DoctorFinding> run(DataDirectory data, Path config) {
        Path file = config.resolve("nodes.yaml");
        if (!Files.exists(file)) {
            return List.of();
        }
        Map<String, String> users = new LinkedHashMap<>();
        for (PlannedNode node : readNodesOrEmpty(file)) {
            if (!Files.exists(data.node(node.name()).state().resolve("profile.json"))) {
                for (InitialProgram program : node.programs()) {
                    users.putIfAbsent(
                            program.url(), "program " + program.name() + " of node " + node.name());
                }
            }
        }
        try (HttpClient client = createClient()) {
            return users.entrySet().stream()
                    .limit(MAX_ADDRESSES)
                    .flatMap(one -> check(client, one.getValue(), one.getKey()).stream())
                    .toList();
        }
    }

    /** A broken file is a finding of {@link CatalogAndNodesFileCheck}. */
    private static List<PlannedNode> readNodesOrEmpty(Path file) {
        try {
            return NodesFileReader.read(file);
        } catch (UserFacingError e) {
            return List.of();
        }
    }

    private static HttpClient createClient() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(DEADLINE)
                .build();
    }

    /** Never with the address, which may contain a secret. */
    private static Optional<DoctorFinding> check(HttpClient client, String user, String url) {
        try {
            URI address = DownloadAddress.parse(url).uri();
            return "file".equals(address.getScheme())
                    ? checkFile(user, Path.of(address.getPath()))
                    : checkHttp(client, user, address);
        } catch (IllegalArgumentException e) {
            return Optional.of(failed(user, "it is not an address. Correct it."));
        }
    }

    private static Optional<DoctorFinding> checkFile(String user, Path file) {
        return Files.isReadable(file) && Files.isRegularFile(file)
                ? Optional.empty()
                : Optional.of(failed(user, "there is no readable file " + file + ". Correct it."));
    }

    private static Optional<DoctorFinding> checkHttp(HttpClient client, String user, URI address) {
        String host = address.getHost();
        try {
            int status = requestStatus(client, address);
            if (status < 400) {
                return Optional.empty();
            }
            return Optional.of(
                    UNAUTHORIZED.contains(status)
                            ? unchecked(user, host, status)
                            : failed(
                                    user,
                                    host + " responds with status " + status + ". Correct it."));
        } catch (IOException e) {
            return Optional.of(
                    failed(user, host + " does not respond. Correct it, or start the server."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The doctor was stopped.", e);
        }
    }

    /** Closes the response unread: a server may ignore the range and send all. */
    private static int requestStatus(HttpClient client, URI address)
            throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(address)
                        .timeout(DEADLINE)
                        .header("Range", "bytes=0-0")
                        .build();
        HttpResponse<InputStream> response =
                client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream _ = response.body()) {
            return response.statusCode();
        }
    }

    private static DoctorFinding failed(String user, String why) {
        return DoctorFinding.fail(
                CHECK, "nodes.yaml: the url of " + user + " cannot be fetched: " + why);
    }

    private static DoctorFinding unchecked(String user, String host, int status) {
        return DoctorFinding.warn(
                CHECK,
                "nodes.yaml: the url of "
                        + user
                        + " cannot be checked: "
                        + host
                        + " responds with status "
                        + status
                        + ". Check that the node may download it.");
    }
}
