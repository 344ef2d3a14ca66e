package drover.standalone.ci;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Test sources of all modules. */
final class TestSources {
    private static final Path ROOT = Path.of("..");

    private TestSources() {}

    /** Paths of all Java files, sorted. */
    static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/test/java/"))
                    .sorted()
                    .toList();
        }
    }
}
