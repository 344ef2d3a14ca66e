package drover.localenv.database;

import com.sun.security.auth.module.UnixSystem;
import drover.localenv.UserFacingError;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** PostgreSQL refuses to run as root; in a user namespace of its own it is nobody. */
final class NonRootCommand {
    private static final Duration LIMIT = Duration.ofSeconds(90); // slow machines too

    private NonRootCommand() {}

    /** The command line that runs {@code command} as somebody who is not root. */
    static List<String> wrapIfRoot(String... command) {
        List<String> whole = new ArrayList<>();
        if (isRoot()) {
            whole.addAll(List.of("unshare", "-U"));
        }
        whole.addAll(List.of(command));
        return whole;
    }

    /**
     * Checks that root can start it here.
     *
     * @throws UserFacingError when it cannot
     */
    static void requireUserNamespacesIfRoot() {
        if (isRoot() && PostgresTool.run(List.of("unshare", "-U", "true"), LIMIT).exitCode() != 0) {
            throw new UserFacingError(
                    "PostgreSQL does not run as root, and user namespaces, which would help, are"
                            + " switched off on this machine; start Drover as an ordinary user, or"
                            + " name a database of yours with --postgres URL.");
        }
    }

    private static boolean isRoot() {
        return new UnixSystem().getUid() == 0;
    }
}
