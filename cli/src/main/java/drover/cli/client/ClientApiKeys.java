package drover.cli.client;

import drover.cli.terminal.CommandFailed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;

/**
 * The keys that a command brings; empty where none was found, and then the server says what it
 * wants.
 *
 * @param defaultKey for everything but approving
 * @param approverKey for what lets a rollout go on that its rules would stop
 */
public record ClientApiKeys(String defaultKey, String approverKey) {
    /** A key itself, for programs; better not typed at a shell that remembers it. */
    static final String VARIABLE = "DROVER_KEY";

    /** The file or directory of {@code --key-file}. */
    static final String FILE_VARIABLE = "DROVER_KEY_FILE";

    private static final Path LOCAL_DIRECTORY =
            Path.of(".drover"); // where 'drover up' keeps its data
    private static final String ADMIN = "admin.key";
    private static final String APPROVER = "approver.key";

    /**
     * Finds keys: the option, else the key in {@code DROVER_KEY}, else the file in {@code
     * DROVER_KEY_FILE}, else, for a server on this machine, the data directory in the working
     * directory. No other server receives the keys of that directory.
     *
     * @param server the address that the keys are brought to
     * @param option a key file, or a directory with {@code admin.key} and perhaps {@code
     *     approver.key}; empty when it was not given
     * @throws CommandFailed as wrong usage when what was named cannot be read
     */
    public static ClientApiKeys find(
            String option, String server, Map<String, String> environment) {
        String given = environment.getOrDefault(VARIABLE, "").strip();
        if (!option.isEmpty()) {
            return readFrom(Path.of(option));
        }
        if (!given.isEmpty()) {
            return sameForBoth(given);
        }
        String file = environment.getOrDefault(FILE_VARIABLE, "").strip();
        if (!file.isEmpty()) {
            return readFrom(Path.of(file));
        }
        boolean here = isLocal(server) && Files.isReadable(LOCAL_DIRECTORY.resolve(ADMIN));
        return here ? readFromDirectory(LOCAL_DIRECTORY) : sameForBoth("");
    }

    private static ClientApiKeys readFrom(Path named) {
        return Files.isDirectory(named) ? readFromDirectory(named) : sameForBoth(read(named));
    }

    private static boolean isLocal(String address) {
        String server = address.replaceFirst("^https://", "");
        return server.startsWith("127.")
                || server.startsWith("localhost:")
                || server.startsWith("[::1]:");
    }

    private static ClientApiKeys sameForBoth(String key) {
        return new ClientApiKeys(key, key);
    }

    private static ClientApiKeys readFromDirectory(Path directory) {
        Path approver = directory.resolve(APPROVER);
        String admin = read(directory.resolve(ADMIN));
        return new ClientApiKeys(admin, Files.isReadable(approver) ? read(approver) : admin);
    }

    private static String read(Path file) {
        try {
            if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
                throw CommandFailed.usage(
                        "The key file "
                                + file
                                + " can be read by every user of this machine: run chmod 600, and"
                                + " replace the key (drover key revoke, drover key create).");
            }
            String key = Files.readString(file).strip();
            if (key.matches("[\\x21-\\x7e]+")) {
                return key;
            }
        } catch (IOException e) {
            throw CommandFailed.usage(
                    "The key file " + file + " cannot be read; name another with --key-file.");
        }
        throw CommandFailed.usage(file + " holds no key; name another with --key-file.");
    }

    /** Never the keys: this may end up in a message. */
    @Override
    public String toString() {
        return "ApiKeys";
    }
}
