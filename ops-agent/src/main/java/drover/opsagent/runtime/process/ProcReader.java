package drover.opsagent.runtime.process;

import drover.opsagent.runtime.Processes.ObservedProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code /proc} shows of processes to whoever may look into them. */
final class ProcReader {
    private ProcReader() {}

    /** Every process but those that have ended, are the kernel's own, or are somebody else's. */
    static List<ObservedProcess> listInspectable() {
        List<ObservedProcess> all = new ArrayList<>();
        for (ProcStat stat : ProcStat.listRunning()) {
            ObservedProcess seen = readProcess(stat);
            if (seen != null) {
                all.add(seen);
            }
        }
        return all;
    }

    /** Absent when it is none of those that may be looked at. */
    private static @Nullable ObservedProcess readProcess(ProcStat stat) {
        Path process = ProcStat.PROC.resolve(Long.toString(stat.number()));
        try {
            return new ObservedProcess(
                    stat.pid(),
                    stat.session() == stat.number(),
                    Files.readSymbolicLink(process.resolve("exe")).toString(),
                    readNulSeparated(process.resolve("cmdline")),
                    readEnvironment(process),
                    ProcessHandle.of(stat.number()).flatMap(it -> it.info().user()).orElse(""));
        } catch (IOException e) {
            return null;
        }
    }

    private static Map<String, String> readEnvironment(Path process) throws IOException {
        Map<String, String> environment = new HashMap<>();
        for (String entry : readNulSeparated(process.resolve("environ"))) {
            int equals = entry.indexOf('=');
            if (equals > 0) {
                environment.put(entry.substring(0, equals), entry.substring(equals + 1));
            }
        }
        return environment;
    }

    /** The words of a file of the kernel's, each of which ends with a zero. */
    private static List<String> readNulSeparated(Path file) throws IOException {
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        List<String> words = new ArrayList<>();
        int from = 0;
        for (int end = text.indexOf(0); end >= 0; end = text.indexOf(0, from)) {
            words.add(text.substring(from, end));
            from = end + 1;
        }
        return words;
    }
}
