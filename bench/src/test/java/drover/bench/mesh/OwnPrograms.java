package drover.bench.mesh;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Programs that agents started outlive them, and end with the test. */
final class OwnPrograms {
    private OwnPrograms() {}

    /** One whose number another process has by now is left alone. */
    static void destroy(Stream<Long> pids, Path folder) {
        pids.flatMap(pid -> ProcessHandle.of(pid).stream())
                .filter(
                        process ->
                                process.info().arguments().map(List::of).orElse(List.of()).stream()
                                        .anyMatch(word -> word.startsWith(folder.toString())))
                .forEach(ProcessHandle::destroyForcibly);
    }
}
