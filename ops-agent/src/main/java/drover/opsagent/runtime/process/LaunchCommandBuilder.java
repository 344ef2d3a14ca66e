package drover.opsagent.runtime.process;

import drover.model.program.LaunchSpec;
import drover.opsagent.runtime.Processes;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns a launch specification into a command line. No shell is ever used (H15). */
final class LaunchCommandBuilder {
    /** Name of the file in a program's run directory that its output goes to. */
    static final String LOG = "output.log";

    private LaunchCommandBuilder() {}

    /** The whole command line of a program whose file is there. */
    static List<String> command(LaunchSpec launch, Path file, Path root) {
        return launch.arguments().isEmpty()
                ? List.of(file.toString())
                : launch.arguments().stream()
                        .map(argument -> expand(argument, file, root))
                        .toList();
    }

    /** What is added to the environment of a program whose file is there. */
    static Map<String, String> environment(LaunchSpec launch, Path file, Path root) {
        Map<String, String> environment = new HashMap<>();
        launch.environment()
                .forEach((name, value) -> environment.put(name, expand(value, file, root)));
        return environment;
    }

    private static String expand(String text, Path file, Path root) {
        return text.replace("{path}", file.toString()).replace("{root}", root.toString());
    }

    /** Replaces {@code {path}} and {@code {root}} by places on this machine. */
    static Processes.LaunchRequest toLaunchRequest(
            RunRecord run, Path file, Path root, Path runDirectory) {
        List<String> command = command(run.launch(), file, root);
        Map<String, String> environment = environment(run.launch(), file, root);
        environment.put(Processes.MARKER, run.marker());
        return new Processes.LaunchRequest(
                file, command, environment, root, runDirectory.resolve(LOG), run.marker());
    }
}
