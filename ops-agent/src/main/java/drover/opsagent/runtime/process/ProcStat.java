package drover.opsagent.runtime.process;

import drover.opsagent.runtime.Processes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What the kernel's table says of one process. */
record ProcStat(long number, char state, long parent, long session, long startTicks) {
    static final Path PROC = Path.of("/proc");

    boolean hasEnded() {
        return state == 'Z' || state == 'X';
    }

    Processes.Pid pid() {
        return new Processes.Pid(number, startTicks);
    }

    /** The process of this number; absent when there is none. */
    static @Nullable ProcStat read(long number) {
        if (number <= 0) {
            return null;
        }
        try {
            // A process may call itself anything, cut in the middle of a character: read as bytes.
            Path file = PROC.resolve(number + "/stat");
            return parse(number, Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            return null; // it has ended
        }
    }

    static ProcStat parse(long number, String line) {
        // The name in parentheses may hold anything: fields are counted from its end.
        List<String> fields = List.of(line.substring(line.lastIndexOf(')') + 2).strip().split(" "));
        return new ProcStat(
                number,
                fields.get(0).charAt(0),
                Long.parseLong(fields.get(1)),
                Long.parseLong(fields.get(3)),
                Long.parseLong(fields.get(19)));
    }

    /** Every process that has not ended. */
    static List<ProcStat> listRunning() {
        try (Stream<Path> entries = Files.list(PROC)) {
            return entries.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> !name.isEmpty() && name.chars().allMatch(Character::isDigit))
                    .map(name -> read(Long.parseLong(name)))
                    .filter(Objects::nonNull)
                    .filter(stat -> !stat.hasEnded())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read /proc", e);
        }
    }
}
