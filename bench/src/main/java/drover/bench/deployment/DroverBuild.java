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
 */
public record DroverBuild(String name, String classPath, List<String> java) {
    /** The classes of this process. */
    public static DroverBuild current() {
        return new DroverBuild("today's build", System.getProperty("java.class.path"), List.of());
    }

    /** The jars of one directory. */
    public static DroverBuild of(String name, Path libraries) {
        return new DroverBuild(name, libraries.resolve("*").toString(), List.of());
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
