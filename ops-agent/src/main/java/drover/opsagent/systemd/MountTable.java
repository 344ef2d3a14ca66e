package drover.opsagent.systemd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Mounts of a process. A unit with {@code ProtectSystem=} has mounts of its own: if root remounts a
 * directory with {@code noexec}, the agent still sees the earlier option, and systemd the new one.
 *
 * @param mounts in the order in which they were mounted
 */
record MountTable(List<Mount> mounts) {
    private static final Path SYSTEMD = Path.of("/proc/1/mountinfo");
    private static final int DIRECTORY = 4; // fields of mountinfo, see proc(5)
    private static final int OPTIONS = 5;
    private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})");

    /** A directory and the options of what is mounted there. */
    record Mount(Path directory, List<String> options) {}

    MountTable {
        mounts = List.copyOf(mounts);
    }

    /** Mounts that systemd starts programs in; empty if the agent may not read them. */
    static MountTable ofSystemd() {
        try {
            return parse(Files.readString(SYSTEMD));
        } catch (IOException e) {
            return new MountTable(List.of());
        }
    }

    /** Reads lines of {@code /proc/PID/mountinfo}. */
    static MountTable parse(String text) {
        List<Mount> found = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            if (fields.length > OPTIONS) {
                Path directory = Path.of(unescape(fields[DIRECTORY]));
                found.add(new Mount(directory, List.of(fields[OPTIONS].split(",", -1))));
            }
        }
        return new MountTable(found);
    }

    /** The kernel writes spaces and line breaks as octal numbers. */
    private static String unescape(String text) {
        return ESCAPED.matcher(text).replaceAll(MountTable::character);
    }

    private static String character(MatchResult escaped) {
        String character = String.valueOf((char) Integer.parseInt(escaped.group(1), 8));
        return Matcher.quoteReplacement(character);
    }

    /** Whether no file may be executed where this one is. */
    boolean isNoExec(Path file) {
        @Nullable Mount innermost = null;
        for (Mount mount : mounts) {
            boolean deeper =
                    innermost == null
                            || mount.directory().getNameCount()
                                    >= innermost.directory().getNameCount();
            if (file.startsWith(mount.directory()) && deeper) {
                innermost = mount;
            }
        }
        return innermost != null && innermost.options().contains("noexec");
    }
}
