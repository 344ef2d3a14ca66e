package drover.opsagent.fetch;

import drover.opsagent.journal.ReasonCode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;

/**
 * What a host of artifacts wants to be shown. It holds where the secret lies, never the secret:
 * that is read for each request, so that it can be exchanged under a running agent, and no record,
 * log or heap dump of a waiting agent has it (H14).
 */
sealed interface HostCredential {
    /** Nothing is shown. */
    record None() implements HostCredential {}

    /** A token. */
    record BearerTokenFile(Path file) implements HostCredential {}

    /** A name and its password. */
    record BasicWithPasswordFile(String user, Path file) implements HostCredential {}

    /**
     * What goes into {@code Authorization}; empty for nothing.
     *
     * @throws FetchFailed when the secret is not there, or others may read it
     */
    default String readAuthorizationHeader() {
        try {
            return switch (this) {
                case None _ -> "";
                case BearerTokenFile bearer ->
                        "Bearer " + ProtectedFileReader.readSecret(bearer.file());
                case BasicWithPasswordFile basic -> {
                    String pair = basic.user() + ":" + ProtectedFileReader.readSecret(basic.file());
                    byte[] bytes = pair.getBytes(StandardCharsets.UTF_8);
                    yield "Basic " + Base64.getEncoder().encodeToString(bytes);
                }
            };
        } catch (IllegalArgumentException e) {
            throw new FetchFailed(ReasonCode.DOWNLOAD_FAILED, String.valueOf(e.getMessage()));
        }
    }
}
