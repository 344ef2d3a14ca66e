package drover.opsagent.docker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What this node says to private registries: from a file of its own, never from the control plane.
 * The file is written as {@code docker login} writes it, and read anew at each use, so that a
 * password may be changed under a running agent. Nothing of it reaches a log (H14).
 */
final class RegistryLogins {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final String HUB = "https://index.docker.io/v1/"; // as docker login names it

    private final @Nullable Path file;

    private RegistryLogins(@Nullable Path file) {
        this.file = file;
    }

    static RegistryLogins none() {
        return new RegistryLogins(null);
    }

    /**
     * Those of a file.
     *
     * @throws IllegalArgumentException when it cannot be read, or others than its owner can
     */
    static RegistryLogins of(Path file) {
        RegistryLogins logins = new RegistryLogins(file);
        try {
            logins.read(file);
            return logins;
        } catch (EngineFailed e) {
            throw new IllegalArgumentException(e.what() + ".", e);
        }
    }

    /** The header that goes with a request to this registry. */
    Optional<String> header(String registry) {
        if (file == null) {
            return Optional.empty();
        }
        JsonNode auths = read(file).path("auths");
        JsonNode entry = auths.path(registry);
        if (entry.isMissingNode() && registry.equals("docker.io")) {
            entry = auths.path(HUB);
        }
        byte[] pair = Base64.getDecoder().decode(Json.text(entry, "auth"));
        String text = new String(pair, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        ObjectNode login =
                Json.object()
                        .put("username", text.substring(0, colon))
                        .put("password", text.substring(colon + 1))
                        .put("serveraddress", registry);
        return Optional.of(Base64.getUrlEncoder().encodeToString(Json.write(login)));
    }

    private ObjectNode read(Path from) {
        try {
            Set<PosixFilePermission> allowed =
                    Files.getPosixFilePermissions(from, LinkOption.NOFOLLOW_LINKS);
            if (!OWNER_ONLY.containsAll(allowed)) {
                throw EngineFailed.refused(
                        "The registry logins " + from + " are open to others: chmod 600");
            }
            return Json.read(Files.readAllBytes(from));
        } catch (IOException e) {
            throw EngineFailed.refused("The registry logins " + from + " cannot be read");
        }
    }
}
