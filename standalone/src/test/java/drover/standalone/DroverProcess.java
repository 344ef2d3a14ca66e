package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The program {@code drover} as a process of its own, as its operator has it. */
final class DroverProcess implements AutoCloseable {
    private final Process process;
    private final Path said;

    private DroverProcess(Process process, Path said) {
        this.process = process;
        this.said = said;
    }

    /**
     * How a command ended.
     *
     * @param said everything it printed
     */
    record Ended(int exitCode, String said) {}

    static DroverProcess start(Path folder, String... arguments) throws IOException {
        return start(folder, Map.of(), arguments);
    }

    static DroverProcess start(Path folder, Map<String, String> environment, String... arguments)
            throws IOException {
        return start(folder, Main.class, environment, arguments);
    }

    /** Another program of Drover, such as one service. */
    static DroverProcess start(
            Path folder, Class<?> main, Map<String, String> environment, String... arguments)
            throws IOException {
        Path said = Files.createTempFile(folder, "said", ".log");
        List<String> line =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName()));
        line.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(said.toFile());
        builder.environment().putAll(environment);
        return new DroverProcess(builder.start(), said);
    }

    /** Runs a command that ends by itself. */
    static Ended run(Path folder, String... arguments) throws Exception {
        try (DroverProcess drover = start(folder, arguments)) {
            return drover.ended();
        }
    }

    Ended ended() throws Exception {
        assertThat(process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
        return new Ended(process.exitValue(), said());
    }

    String said() throws IOException {
        return Files.readString(said);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM, as whoever manages services ends them. */
    Ended terminated() throws Exception {
        process.destroy();
        return ended();
    }

    /** SIGKILL: nothing is tidied up. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
