package drover.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;

/**
 * The keys that a command brings; empty where none was found, and then the server says what it
 * wants.
 *
 * @param usual for everything but approving
 * @param approving for what lets a rollout go on that its rules would stop
 */
record KeyRing(String usual, String approving) {
    /** A key itself, for programs; better not typed at a shell that remembers it. */
    static final String VARIABLE = "DROVER_KEY";

    private static final Path HERE = Path.of(".drover"); // where 'drover up' keeps its data
    private static final String ADMIN = "admin.key";
    private static final String APPROVER = "approver.key";

    /**
     * Finds keys: the option, else the variable, else, for a server on this machine, the data
     * directory that stands here: its keys are nobody else's business.
     *
     * @param server the address that the keys are brought to
     * @param option a key file, or a directory with {@code admin.key} and perhaps {@code
     *     approver.key}; empty when it was not given
     * @throws CommandFailed as wrong usage when what was named cannot be read
     */
    static KeyRing find(String option, String server, Map<String, String> environment) {
        String given = environment.getOrDefault(VARIABLE, "").strip();
        if (!option.isEmpty()) {
            Path named = Path.of(option);
            return Files.isDirectory(named) ? in(named) : one(read(named));
        }
        if (!given.isEmpty()) {
            return one(given);
        }
        boolean here = isHere(server) && Files.isReadable(HERE.resolve(ADMIN));
        return here ? in(HERE) : one("");
    }

    private static boolean isHere(String address) {
        String server = address.replaceFirst("^https://", "");
        return server.startsWith("127.")
                || server.startsWith("localhost:")
                || server.startsWith("[::1]:");
    }

    private static KeyRing one(String key) {
        return new KeyRing(key, key);
    }

    private static KeyRing in(Path directory) {
        Path approver = directory.resolve(APPROVER);
        String admin = read(directory.resolve(ADMIN));
        return new KeyRing(admin, Files.isReadable(approver) ? read(approver) : admin);
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
        return "KeyRing";
    }
}
