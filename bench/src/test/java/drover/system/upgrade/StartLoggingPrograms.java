package drover.system.upgrade;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Versions of a program of nodes on disk, which writes down each of its starts. One that an agent
 * started outlives it, and ends with the test.
 */
final class StartLoggingPrograms {
    private final Path folder;
    private final Path log;

    /** Of nodes in this folder. */
    StartLoggingPrograms(Path folder) {
        this.folder = folder;
        this.log = folder.resolve("starts.log");
    }

    /**
     * A start of the program.
     *
     * @param node by the directory it lies in
     */
    record Start(String node, String version, long pid) {}

    /** The program of a version, with so many bytes more than it needs: its own file proves it. */
    byte[] program(String version, int pad) {
        String script =
                """
                #!/bin/sh
                node=${0%%/root/opt/app}
                echo "${node##*/} %s $$" >> %s
                while :; do sleep 1; done
                """
                        .formatted(version, log);
        return (script + "#".repeat(pad) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Every start there was, in order. */
    List<Start> starts() {
        try {
            return Files.exists(log)
                    ? Files.readAllLines(log).stream()
                            .map(line -> line.split(" ", -1))
                            .map(words -> new Start(words[0], words[1], Long.parseLong(words[2])))
                            .toList()
                    : List.of();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends them; one whose number another process has by now is left alone. */
    void end() {
        starts().stream()
                .flatMap(start -> ProcessHandle.of(start.pid()).stream())
                .filter(this::isOurs)
                .forEach(ProcessHandle::destroyForcibly);
    }

    private boolean isOurs(ProcessHandle process) {
        return process.info().arguments().map(List::of).orElse(List.of()).stream()
                .anyMatch(word -> word.startsWith(folder.toString()));
    }
}
