package drover.system.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Test sources of all modules. */
final class TestSources {
    private static final Path ROOT = Path.of("..");

    private TestSources() {}

    /** Paths of all Java files, by module. Reads no target folder, where other test JVMs write. */
    static List<Path> all() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : TestReport.list(ROOT)) {
            Path tests = module.resolve("src/test/java");
            if (Files.isDirectory(tests)) {
                try (Stream<Path> files = Files.walk(tests)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .sorted()
                            .forEach(sources::add);
                }
            }
        }
        return sources;
    }
}
