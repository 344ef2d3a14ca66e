package drover.standalone.demo;

import drover.kit.text.ShellWord;
import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;

/** Shows that the operators' door asks for a key, with the very calls that anybody would type. */
final class ApiKeyDemo {
    private static final Duration WITHIN = Duration.ofSeconds(15);
    private static final int OK = 200;
    private static final int UNAUTHENTICATED = 401;

    private final HttpClient client;
    private final URI rollouts;

    ApiKeyDemo(HttpClient client, int httpPort) {
        this.client = client;
        this.rollouts = URI.create("http://127.0.0.1:" + httpPort + "/api/v1/rollouts");
    }

    /**
     * Knocks without a key, then with the administrator's.
     *
     * @throws UserFacingError when the first is let in, or the second is not
     */
    void run(DataDirectory data, DemoOutput narrator) {
        narrator.printHeading("The door: every call brings a key");
        HttpResponse<String> refused = send(HttpRequest.newBuilder(rollouts));
        narrator.print("curl " + rollouts);
        narrator.print("  " + refused.statusCode() + " " + refused.body().strip());
        HttpResponse<String> answered =
                send(
                        HttpRequest.newBuilder(rollouts)
                                .header("authorization", "Bearer " + readKey(data)));
        narrator.print(
                "curl -H \"authorization: Bearer $(cat "
                        + ShellWord.of(data.adminKey())
                        + ")\" "
                        + rollouts);
        narrator.print("  " + answered.statusCode());
        if (refused.statusCode() != UNAUTHENTICATED || answered.statusCode() != OK) {
            throw new UserFacingError(
                    "The door did not ask for a key as it must: this is a fault of Drover, please"
                            + " report it.");
        }
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(
                    request.timeout(WITHIN).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UserFacingError("The demo's own door does not answer; run it again.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The demo was stopped.", e);
        }
    }

    private static String readKey(DataDirectory data) {
        try {
            return Files.readString(data.adminKey()).strip();
        } catch (IOException e) {
            throw new UserFacingError("The demo's key cannot be read; check the disk.", e);
        }
    }
}
