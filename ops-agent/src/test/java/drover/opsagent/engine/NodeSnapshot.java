package drover.opsagent.engine;

import drover.opsagent.disk.Disk;
import drover.opsagent.runtime.Processes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A node as anybody can see it, line by line: every file with its digest, owner and mode, every
 * directory, and what its runtime says of the program. What each start makes new, such as a
 * process's number, is no part of it.
 */
public record NodeSnapshot(SortedMap<String, String> lines) {
    public NodeSnapshot {
        lines = Collections.unmodifiableSortedMap(new TreeMap<>(lines));
    }

    /** Nothing yet. */
    public static NodeSnapshot blank() {
        return new NodeSnapshot(new TreeMap<>());
    }

    /** With these lines. */
    public NodeSnapshot and(Map<String, String> more) {
        SortedMap<String, String> all = new TreeMap<>(lines);
        all.putAll(more);
        return new NodeSnapshot(all);
    }

    /** With every file and directory below a directory, but for those of the agent's own. */
    public NodeSnapshot andFiles(Disk disk, Path below, Path own) {
        Map<String, String> files = new TreeMap<>();
        for (Path path : disk.list(below)) {
            switch (disk.kind(path)) {
                case ABSENT -> {}
                case DIRECTORY -> {
                    if (!path.equals(own)) {
                        files.put(path.toString(), "a directory");
                        files.putAll(blank().andFiles(disk, path, own).lines());
                    }
                }
                case FILE ->
                        files.put(path.toString(), disk.digest(path) + " " + disk.attributes(path));
                case OTHER -> files.put(path.toString(), "no plain file");
            }
        }
        return and(files);
    }

    /** With every process of a program below a directory, by what it executes. */
    public NodeSnapshot andProcesses(Processes processes, Path below) {
        Map<String, String> running = new TreeMap<>();
        for (Processes.ObservedProcess seen : processes.listInspectable()) {
            if (seen.program().startsWith(below.toString())) {
                running.merge(
                        "processes of " + seen.program(),
                        processes.executableDigest(seen.pid()).value(),
                        (one, other) -> one + " " + other);
            }
        }
        return and(running);
    }

    /** The lines in which a later picture differs. */
    public List<String> differencesFrom(NodeSnapshot later) {
        List<String> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(lines.keySet());
        names.addAll(later.lines.keySet());
        for (String name : names) {
            String was = lines.getOrDefault(name, "absent");
            String is = later.lines.getOrDefault(name, "absent");
            if (!was.equals(is)) {
                differences.add(name + ": " + was + " became " + is);
            }
        }
        return differences;
    }
}
