package drover.bench.deployment;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * One build of Drover: where the classes of its programs are.
 *
 * @param name for people
 * @param java options of Java, besides those that every program has
 * @param renamed names of main classes in this build, by today's name; without the unchanged ones
 */
public record Build(String name, String classPath, List<String> java, Map<String, String> renamed) {
    /** The classes of this process. */
    public static Build ofToday() {
        return new Build(
                "today's build", System.getProperty("java.class.path"), List.of(), Map.of());
    }

    /** The jars of one directory. */
    public static Build of(String name, Path libraries, Map<String, String> renamed) {
        return new Build(name, libraries.resolve("*").toString(), List.of(), renamed);
    }

    /** Returns the name of a main class in this build. */
    String nameOf(Class<?> main) {
        return renamed.getOrDefault(main.getName(), main.getName());
    }

    /** Starts a main class of this build. */
    public ServiceProcess start(
            Path logs,
            Class<?> main,
            Level level,
            int heap,
            Map<String, String> environment,
            List<String> arguments) {
        return ServiceProcess.start(logs, this, main, level, heap, environment, arguments);
    }
}
