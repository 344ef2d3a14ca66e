package drover.opsagent.systemd;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which processes a unit has, as the kernel counts them: a process cannot leave its control group
 * by shedding its session, its parent or its environment.
 */
final class ControlGroups {
    private static final int DEEPEST = 16; // units delegate one or two levels; links are refused

    private final List<Path> hierarchies;

    /** Looks where systemd mounts them: version 2 alone, or version 1 with systemd's own. */
    ControlGroups() {
        this(Path.of("/sys/fs/cgroup"));
    }

    ControlGroups(Path mounted) {
        this.hierarchies = List.of(mounted.resolve("systemd"), mounted.resolve("unified"), mounted);
    }

    /** Every process in the group and below; empty when there is no such group. */
    List<Long> members(String group) {
        String relative = group.startsWith("/") ? group.substring(1) : group;
        Path inside = Path.of(relative).normalize();
        if (relative.isBlank() || inside.startsWith("..")) {
            return List.of();
        }
        List<Long> members = new ArrayList<>();
        for (Path hierarchy : hierarchies) {
            collect(hierarchy.resolve(inside), DEEPEST, members);
        }
        return members.stream().distinct().toList();
    }

    private static void collect(Path group, int depth, List<Long> members) {
        if (depth == 0 || !Files.isDirectory(group, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            if (isThreaded(group)) {
                return; // its processes are counted where the thread's process is
            }
            for (String line : Files.readAllLines(group.resolve("cgroup.procs"))) {
                members.add(Long.parseLong(line.strip()));
            }
            try (DirectoryStream<Path> below = Files.newDirectoryStream(group)) {
                for (Path child : below) {
                    collect(child, depth - 1, members);
                }
            }
        } catch (NoSuchFileException _) {
            // The group went while it was looked at: it was empty.
        } catch (IOException e) {
            throw new SystemdUnits.SystemdCallFailed(
                    "The control group " + group + " is unreadable", e);
        }
    }

    private static boolean isThreaded(Path group) throws IOException {
        Path type = group.resolve("cgroup.type"); // version 2 alone has it
        return Files.exists(type) && Files.readString(type).strip().equals("threaded");
    }
}
