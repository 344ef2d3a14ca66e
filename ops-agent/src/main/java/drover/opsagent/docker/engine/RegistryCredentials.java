package drover.opsagent.docker.engine;

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
public final class RegistryCredentials {
    private static final Set<PosixFilePermission> OWNER_ONLY =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final String HUB = "https://index.docker.io/v1/"; // as docker login names it

    private final @Nullable Path file;

    private RegistryCredentials(@Nullable Path file) {
        this.file = file;
    }

    public static RegistryCredentials none() {
        return new RegistryCredentials(null);
    }

    /**
     * Those of a file.
     *
     * @throws IllegalArgumentException when it cannot be read, or others than its owner can
     */
    public static RegistryCredentials of(Path file) {
        RegistryCredentials logins = new RegistryCredentials(file);
        try {
            logins.readFile(file);
            return logins;
        } catch (EngineFailed e) {
            throw new IllegalArgumentException(e.message() + ".", e);
        }
    }

    /** The header that goes with a request to this registry. */
    Optional<String> authHeader(String registry) {
        if (file == null) {
            return Optional.empty();
        }
        JsonNode auths = readFile(file).path("auths");
        JsonNode entry = auths.path(registry);
        if (entry.isMissingNode() && registry.equals("docker.io")) {
            entry = auths.path(HUB);
        }
        byte[] pair = Base64.getDecoder().decode(EngineJson.stringField(entry, "auth"));
        String text = new String(pair, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        if (colon < 0) {
            return Optional.empty();
        }
        ObjectNode login =
                EngineJson.newObject()
                        .put("username", text.substring(0, colon))
                        .put("password", text.substring(colon + 1))
                        .put("serveraddress", registry);
        return Optional.of(Base64.getUrlEncoder().encodeToString(EngineJson.toBytes(login)));
    }

    private ObjectNode readFile(Path from) {
        try {
            Set<PosixFilePermission> allowed =
                    Files.getPosixFilePermissions(from, LinkOption.NOFOLLOW_LINKS);
            if (!OWNER_ONLY.containsAll(allowed)) {
                throw EngineFailed.rejected(
                        "The registry logins " + from + " are open to others: chmod 600");
            }
            return EngineJson.parseObject(Files.readAllBytes(from));
        } catch (IOException e) {
            throw EngineFailed.rejected("The registry logins " + from + " cannot be read");
        }
    }
}
