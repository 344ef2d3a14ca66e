package drover.opsagent.main;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * What every agent process of a test loads, prepared once for all of them: a suite starts a
 * hundred, and most of what each does is to read the same classes. The loader of Java's own classes
 * takes them without checks, and maps those that one agent before has loaded; where it cannot map
 * them, it reads them.
 */
final class SharedClassArchive {
    private static final List<String> OPTIONS = prepare(ownPlace());

    private SharedClassArchive() {}

    /** Of Java, for an agent whose jar has no classes of its own. */
    static List<String> options() {
        return OPTIONS;
    }

    /** Several suites may run at once, each in a process of its own. */
    private static Path ownPlace() {
        return Path.of("target", "prepared-classes", Long.toString(ProcessHandle.current().pid()));
    }

    private static List<String> prepare(Path place) {
        Path absolute = place.toAbsolutePath();
        String classes = "-Xbootclasspath/a:" + String.join(":", jars(absolute));
        String archive = absolute.resolve("loaded.jsa").toString();
        Path agent = AgentJars.healthy(absolute.resolve("agent.jar"), "1.0.0");
        letOneLoad(agent, List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable", classes));
        return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:disable", classes);
    }

    /** Directories cannot be mapped: each becomes a jar. */
    private static List<String> jars(Path place) {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":", -1)) {
            if (entry.isEmpty()) { // what comes after a last colon is this whole module otherwise
                continue;
            }
            Path path = Path.of(entry);
            boolean packed = Files.isDirectory(path);
            Path jar = packed ? place.resolve(jars.size() + ".jar") : path;
            if (packed) {
                AgentJars.pack(path, jar);
            }
            jars.add(jar.toString());
        }
        return jars;
    }

    /** Tests itself where no gateway is: it loads most of what an agent ever does. */
    private static void letOneLoad(Path agent, List<String> options) {
        Path place = agent.resolveSibling("node");
        Path token = agent.resolveSibling("token");
        List<String> command = new ArrayList<>(AgentProcesses.java(options));
        command.addAll(List.of("-jar", agent.toString(), "--self-test", "--allow-local"));
        command.addAll(List.of("--gateway", "127.0.0.1:1", "--root", place.toString()));
        command.addAll(List.of("--state", place.toString(), "--token-file", token.toString()));
        try {
            Files.writeString(token, "none");
            Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(agent.resolveSibling("said.log").toFile())
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
