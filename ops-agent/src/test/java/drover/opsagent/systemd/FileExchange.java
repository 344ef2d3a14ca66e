package drover.opsagent.systemd;

import drover.agent.v1.Command;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * How a gateway on a machine without network speaks with the test: by the files of a directory,
 * each of which is there whole or not at all.
 */
public record FileExchange(Path directory) {
    /** What the test wants to be sent. */
    public Optional<Command> command() throws IOException {
        Path command = directory.resolve("command");
        return Files.exists(command)
                ? Optional.of(Command.parseFrom(Files.readAllBytes(command)))
                : Optional.empty();
    }

    /** Whether the test has put such a file there. */
    public boolean has(String file) {
        return Files.exists(directory.resolve(file));
    }

    /** What the test says in a file; empty when there is none. */
    public String text(String file) throws IOException {
        return has(file) ? Files.readString(directory.resolve(file)) : "";
    }

    public void write(String file, byte[] content) throws IOException {
        Path next = Files.write(directory.resolve(file + ".next"), content);
        Files.move(next, directory.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }

    public void write(String file, String text) throws IOException {
        write(file, text.getBytes(StandardCharsets.UTF_8));
    }
}
