package drover.standalone.demo;

import drover.machine.home.DataDirectory;
import drover.machine.home.Unusable;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;

/** Shows that the operators' door asks for a key, with the very calls that anybody would type. */
final class DemoDoor {
    private static final Duration WITHIN = Duration.ofSeconds(15);
    private static final int OK = 200;
    private static final int UNAUTHENTICATED = 401;

    private final HttpClient client;
    private final URI rollouts;

    DemoDoor(HttpClient client, int httpPort) {
        this.client = client;
        this.rollouts = URI.create("http://127.0.0.1:" + httpPort + "/api/v1/rollouts");
    }

    /**
     * Knocks without a key, then with the administrator's.
     *
     * @throws Unusable when the first is let in, or the second is not
     */
    void show(DataDirectory data, Narrator narrator) {
        narrator.heading("The door: every call brings a key");
        HttpResponse<String> refused = answer(HttpRequest.newBuilder(rollouts));
        narrator.say("curl " + rollouts);
        narrator.say("  " + refused.statusCode() + " " + refused.body().strip());
        HttpResponse<String> answered =
                answer(
                        HttpRequest.newBuilder(rollouts)
                                .header("authorization", "Bearer " + key(data)));
        narrator.say(
                "curl -H \"authorization: Bearer $(cat " + data.adminKey() + ")\" " + rollouts);
        narrator.say("  " + answered.statusCode());
        if (refused.statusCode() != UNAUTHENTICATED || answered.statusCode() != OK) {
            throw new Unusable(
                    "The door did not ask for a key as it must: this is a fault of Drover, please"
                            + " report it.");
        }
    }

    private HttpResponse<String> answer(HttpRequest.Builder request) {
        try {
            return client.send(
                    request.timeout(WITHIN).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new Unusable("The demo's own door does not answer; run it again.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Unusable("The demo was stopped.", e);
        }
    }

    private static String key(DataDirectory data) {
        try {
            return Files.readString(data.adminKey()).strip();
        } catch (IOException e) {
            throw new Unusable("The demo's key cannot be read; check the disk.", e);
        }
    }
}
