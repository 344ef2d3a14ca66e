package drover.opsagent.disk;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a file carries besides its content, kept when it is replaced and given back when
 * it is restored (D11).
 *
 * @param permissions as {@code ls} shows them, for example {@code rwsr-xr-x}
 * @param owner user name; empty for the user of the agent
 * @param group group name; empty for the group of the agent
 * @param extended extended attributes by name, values in hexadecimal: capabilities, access control
 *     lists, the SELinux label and {@code user} attributes; never signatures of the kernel (IMA and
 *     EVM), which are of one content. Null if they are not kept: a new file has those that the
 *     system gives it
 * @param modified time of the last change of the content; null if it is not kept
 */
public record FileAttributes(
        String permissions,
        String owner,
        String group,
        @Nullable Map<String, String> extended,
        @Nullable Instant modified) {
    /** A program. */
    public static final FileAttributes PROGRAM = of("rwxr-xr-x");

    /** A configuration file. */
    public static final FileAttributes CONFIG = of("rw-r--r--");

    /** A file of the agent's own. */
    public static final FileAttributes PRIVATE = of("rw-------");

    public FileAttributes {
        extended = extended == null ? null : Collections.unmodifiableMap(new TreeMap<>(extended));
    }

    /** Permissions alone; the rest is of whoever writes. */
    public static FileAttributes of(String permissions) {
        return new FileAttributes(permissions, "", "", null, null);
    }

    /** Permissions and owner; the rest is of whoever writes. */
    public static FileAttributes of(String permissions, String owner, String group) {
        return new FileAttributes(permissions, owner, group, null, null);
    }

    /** The same without the time: what a new content gets from the file that it replaces. */
    public FileAttributes withoutTime() {
        return new FileAttributes(permissions, owner, group, extended, null);
    }

    /** The same with this owner and group; empty for those of the agent. */
    public FileAttributes withOwner(String user, String userGroup) {
        return new FileAttributes(permissions, user, userGroup, extended, modified);
    }

    /**
     * The first attribute that another file does not have in this way, in words; empty if it has
     * all. What is not stated here is not compared.
     */
    public String findDifference(FileAttributes other) {
        if (!permissions.equals(other.permissions)) {
            return "permissions " + permissions;
        }
        if (!owner.isEmpty() && !owner.equals(other.owner)) {
            return "owner " + owner;
        }
        if (!group.isEmpty() && !group.equals(other.group)) {
            return "group " + group;
        }
        if (modified != null && !modified.equals(other.modified)) {
            return "time " + modified;
        }
        return extended == null
                ? ""
                : findDifference(extended, other.extended == null ? Map.of() : other.extended);
    }

    private static String findDifference(Map<String, String> these, Map<String, String> others) {
        for (Map.Entry<String, String> attribute : these.entrySet()) {
            if (!attribute.getValue().equals(others.get(attribute.getKey()))) {
                return "attribute " + attribute.getKey();
            }
        }
        return others.keySet().stream()
                .filter(name -> !these.containsKey(name))
                .findFirst()
                .map(name -> "no attribute " + name)
                .orElse("");
    }

    /** One line for people and for comparison, for example {@code rwxr-xr-x root:root}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(permissions);
        if (!owner.isEmpty() || !group.isEmpty()) {
            text.append(' ').append(owner).append(':').append(group);
        }
        if (extended != null) {
            extended.forEach(
                    (name, value) -> text.append(' ').append(name).append("=0x").append(value));
        }
        return text.toString();
    }
}
