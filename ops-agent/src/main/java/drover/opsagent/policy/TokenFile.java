package drover.opsagent.policy;

import drover.trust.SecretFilePermissionRules;
import drover.trust.SecretFilePermissionRules.UserAndGroupIds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** File with a token, which other users may not read ({@link SecretFilePermissionRules}, H14). */
public final class TokenFile {
    private static final Path READER = Path.of("/proc/self");

    private TokenFile() {}

    /**
     * Reads the file.
     *
     * @throws IllegalArgumentException when other users may read or change the file
     */
    public static String readUnstripped(Path file) throws IOException {
        if (SecretFilePermissionRules.isTooOpen(
                Files.getPosixFilePermissions(file), readIds(file), readIds(READER))) {
            throw new IllegalArgumentException(
                    file
                            + " can be read by other users: run chmod 600. A mounted secret needs"
                            + " defaultMode 0440, and no fsGroup if the agent runs as root.");
        }
        return Files.readString(file);
    }

    private static UserAndGroupIds readIds(Path file) throws IOException {
        return new UserAndGroupIds(
                (int) Files.getAttribute(file, "unix:uid"),
                (int) Files.getAttribute(file, "unix:gid"));
    }
}
