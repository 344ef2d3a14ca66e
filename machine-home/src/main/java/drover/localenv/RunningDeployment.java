package drover.localenv;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a mesh says of itself while it runs, for other terminals.
 *
 * @param pid its process
 * @param ownDatabase whether it runs PostgreSQL in its data directory; false for an external one,
 *     and in files of earlier versions
 */
public record RunningDeployment(
        long pid, int httpPort, int grpcPort, int agentPort, int nodes, boolean ownDatabase) {
    private static final JsonMapper JSON =
            JsonMapper.builder()
                    .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .build();

    /** A mesh whose doors are not open yet. */
    public static RunningDeployment starting() {
        return ofCurrentProcess(0, 0, 0, 0, false);
    }

    /** The mesh of this process. */
    public static RunningDeployment ofCurrentProcess(
            int httpPort, int grpcPort, int agentPort, int nodes, boolean ownDatabase) {
        return new RunningDeployment(
                ProcessHandle.current().pid(), httpPort, grpcPort, agentPort, nodes, ownDatabase);
    }

    /** Tells other terminals. */
    public void write(Path file) {
        AtomicFileWriter.write(file, JSON.writeValueAsString(this) + "\n");
    }

    /** What the mesh of a directory said last; nothing when it ended properly. */
    public static Optional<RunningDeployment> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(JSON.readValue(Files.readString(file), RunningDeployment.class));
        } catch (IOException | JacksonException e) {
            return Optional.empty(); // it is written again by the next start
        }
    }

    /** Takes it back. */
    public static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UserFacingError(file + " cannot be deleted; check the disk.", e);
        }
    }
}
