package drover.opsagent.disk;

/**
 * Owner and permissions of a file, kept when it is replaced (D11).
 *
 * @param permissions for example {@code rwxr-xr-x}
 * @param owner user name; empty for whoever writes
 * @param group group name; empty for whoever writes
 */
public record FileMode(String permissions, String owner, String group) {
    /** A program. */
    public static final FileMode PROGRAM = new FileMode("rwxr-xr-x", "", "");

    /** A configuration file. */
    public static final FileMode CONFIG = new FileMode("rw-r--r--", "", "");

    /** A file of the agent's own. */
    public static final FileMode PRIVATE = new FileMode("rw-------", "", "");
}
