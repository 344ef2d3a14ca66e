package drover.standalone.doctor;

import drover.kit.grpc.Address;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Asks services of their own whether they are ready and what somebody should see to, such as a
 * certificate that ends: each knows its own best, and says it at {@code /readyz} beside its
 * metrics.
 */
public final class ServiceCheck {
    private static final String CHECK = "services";
    private static final Duration WITHIN = Duration.ofSeconds(5);
    private static final int READY = 200;
    private static final int NOT_READY = 503;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ServiceCheck() {}

    /**
     * At these addresses.
     *
     * @param addresses as in each one's {@code --metrics}
     * @throws UserFacingError with one sentence, for what is no address
     */
    public static List<DoctorFinding> run(List<String> addresses) {
        List<Address.Tcp> endpoints = addresses.stream().map(ServiceCheck::parseAddress).toList();
        List<DoctorFinding> findings = new ArrayList<>();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(WITHIN).build()) {
            endpoints.forEach(address -> findings.addAll(run(client, address)));
        }
        return List.copyOf(findings);
    }

    private static Address.Tcp parseAddress(String text) {
        try {
            if (Address.parse(text) instanceof Address.Tcp tcp) {
                return tcp;
            }
        } catch (IllegalArgumentException e) {
            throw new UserFacingError("--service: " + e.getMessage() + ".", e);
        }
        throw new UserFacingError(
                "--service needs the address of a port, host:port, not " + text + ".");
    }

    private static List<DoctorFinding> run(HttpClient client, Address.Tcp address) {
        try {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create("http://" + address + "/readyz"))
                                    .timeout(WITHIN)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return judge(address, answer.statusCode(), JSON.readTree(answer.body()));
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            return List.of(
                    DoctorFinding.fail(
                            CHECK,
                            address
                                    + " does not answer: see whether the service runs, and whether"
                                    + " that is the address of its --metrics."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The doctor was stopped.", e);
        }
    }

    /** What a service says is for people as it is: it names what is wrong and what to do. */
    private static List<DoctorFinding> judge(Address.Tcp address, int status, JsonNode reported) {
        return switch (status) {
            case READY -> readyFindings(address, reported.path("notices"));
            case NOT_READY ->
                    List.of(
                            DoctorFinding.fail(
                                    CHECK,
                                    address
                                            + " is not ready: "
                                            + reported.path("detail").asString("")));
            default ->
                    List.of(
                            DoctorFinding.fail(
                                    CHECK,
                                    address
                                            + " answers "
                                            + status
                                            + " at /readyz: name the address of a service's"
                                            + " --metrics."));
        };
    }

    private static List<DoctorFinding> readyFindings(Address.Tcp address, JsonNode notices) {
        List<DoctorFinding> findings = new ArrayList<>();
        notices.forEach(
                notice ->
                        findings.add(
                                DoctorFinding.warn(CHECK, address + ": " + notice.asString(""))));
        return findings.isEmpty()
                ? List.of(DoctorFinding.ok(CHECK, address + " is ready."))
                : findings;
    }
}
