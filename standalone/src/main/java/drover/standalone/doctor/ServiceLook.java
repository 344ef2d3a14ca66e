package drover.standalone.doctor;

import drover.kit.grpc.Address;
import drover.machine.home.Unusable;
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
public final class ServiceLook {
    private static final String CHECK = "services";
    private static final Duration WITHIN = Duration.ofSeconds(5);
    private static final int READY = 200;
    private static final int NOT_READY = 503;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private ServiceLook() {}

    /**
     * At these addresses.
     *
     * @param addresses as in each one's {@code --metrics}
     * @throws Unusable with one sentence, for what is no address
     */
    public static List<Finding> at(List<String> addresses) {
        List<Address.Tcp> doors = addresses.stream().map(ServiceLook::parsed).toList();
        List<Finding> findings = new ArrayList<>();
        try (HttpClient client = HttpClient.newBuilder().connectTimeout(WITHIN).build()) {
            doors.forEach(door -> findings.addAll(at(client, door)));
        }
        return List.copyOf(findings);
    }

    private static Address.Tcp parsed(String text) {
        try {
            if (Address.parse(text) instanceof Address.Tcp tcp) {
                return tcp;
            }
        } catch (IllegalArgumentException e) {
            throw new Unusable("--service: " + e.getMessage() + ".", e);
        }
        throw new Unusable("--service needs the address of a port, host:port, not " + text + ".");
    }

    private static List<Finding> at(HttpClient client, Address.Tcp door) {
        try {
            HttpResponse<String> answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create("http://" + door + "/readyz"))
                                    .timeout(WITHIN)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            return judge(door, answer.statusCode(), JSON.readTree(answer.body()));
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            return List.of(
                    Finding.fail(
                            CHECK,
                            door
                                    + " does not answer: see whether the service runs, and whether"
                                    + " that is the address of its --metrics."));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unusable("The doctor was stopped.", e);
        }
    }

    /** What a service says is for people as it is: it names what is wrong and what to do. */
    private static List<Finding> judge(Address.Tcp door, int status, JsonNode said) {
        return switch (status) {
            case READY -> ready(door, said.path("notices"));
            case NOT_READY ->
                    List.of(
                            Finding.fail(
                                    CHECK,
                                    door + " is not ready: " + said.path("detail").asString("")));
            default ->
                    List.of(
                            Finding.fail(
                                    CHECK,
                                    door
                                            + " answers "
                                            + status
                                            + " at /readyz: name the address of a service's"
                                            + " --metrics."));
        };
    }

    private static List<Finding> ready(Address.Tcp door, JsonNode notices) {
        List<Finding> findings = new ArrayList<>();
        notices.forEach(
                notice -> findings.add(Finding.warn(CHECK, door + ": " + notice.asString(""))));
        return findings.isEmpty() ? List.of(Finding.ok(CHECK, door + " is ready.")) : findings;
    }
}
