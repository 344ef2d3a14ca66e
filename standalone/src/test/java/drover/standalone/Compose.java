package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code docker compose} over a copy of {@code deploy}, so that its secrets are not in the tree.
 */
final class Compose {
    /** What {@code .ci/compose} keeps. */
    static final Path CACHE = BootedDebian.cache().resolve("compose");

    private static final Path DOCKER = BootedDebian.cache().resolve("docker/usr/bin/docker");

    private final Path place;
    private final List<Path> files;
    private final Map<String, String> environment;

    private Compose(Path place, List<Path> files, Map<String, String> environment) {
        this.place = place;
        this.files = files;
        this.environment = environment;
    }

    /** Why it cannot be asked here; empty when it can. */
    static Optional<String> whyNot() {
        if (!Files.isExecutable(DOCKER)) {
            return Optional.of("there is no docker in " + DOCKER + ": run .ci/run");
        }
        return Files.exists(CACHE.resolve("complete"))
                ? Optional.empty()
                : Optional.of("there is no docker compose in " + CACHE + ": run .ci/run");
    }

    /** As an operator has it, secrets made. */
    static Compose of(Path place) throws IOException {
        said(Map.of(), "cp", "-r", Path.of("../deploy").toRealPath().toString(), place + "");
        Path directory = place.resolve("deploy/compose");
        said(Map.of(), directory.resolve("make-secrets").toString());
        return new Compose(place, List.of(directory.resolve("compose.yaml")), Map.of());
    }

    /** The same with another file over it, on an engine. */
    Compose with(Path file, Path engine, Map<String, String> words) {
        List<Path> more = new ArrayList<>(files);
        more.add(file);
        Map<String, String> all = new HashMap<>(words);
        all.put("DOCKER_HOST", "unix://" + engine);
        return new Compose(place, more, all);
    }

    Path secret(String name) {
        return place.resolve("deploy/compose/secrets").resolve(name);
    }

    /** What a command of it prints; a failure is one of the test. */
    String run(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(DOCKER.toString(), "compose"));
        files.forEach(file -> command.addAll(List.of("-f", file.toString())));
        command.addAll(List.of(words));
        Map<String, String> all = new HashMap<>(environment);
        all.put("DOCKER_CONFIG", CACHE.toString());
        return said(all, command.toArray(String[]::new));
    }

    /** What a program prints; its complaints are told when it fails. */
    static String said(Map<String, String> environment, String... command) throws IOException {
        Path complaints = Files.createTempFile("complaints", ".log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(complaints.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            assertThat(process.waitFor())
                    .as("%s: %s%s", String.join(" ", command), said, Files.readString(complaints))
                    .isZero();
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            Files.delete(complaints);
        }
        return said;
    }
}
