package drover.system.failover;

import drover.localenv.DataDirectory;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The real server of a mesh, which can be killed, frozen and started again on its files. */
final class PostgresProcess implements AutoCloseable {
    private final DataDirectory directory;
    private EmbeddedOrExternalDatabase server;
    private volatile String url;

    PostgresProcess(Path directory) {
        this.directory = new DataDirectory(directory);
        this.server = open();
        this.url = EmbeddedOrExternalDatabase.findRunningUrl(this.directory).orElseThrow();
    }

    private EmbeddedOrExternalDatabase open() {
        return EmbeddedOrExternalDatabase.open(directory, Optional.empty());
    }

    /** Where it listens now: another port after each start. */
    int port() {
        return Integer.parseInt(url.replaceFirst(".*127\\.0\\.0\\.1:([0-9]+)/.*", "$1"));
    }

    /** How it is reached over another port. */
    String urlOver(int port) {
        return url.replaceFirst(":[0-9]+/", ":" + port + "/");
    }

    /** SIGKILL to the postmaster; its children end by themselves, and nothing is written down. */
    void kill() {
        ProcessHandle postmaster = postmaster();
        List<ProcessHandle> children = postmaster.children().toList();
        postmaster.destroyForcibly();
        postmaster.onExit().join();
        children.forEach(child -> child.onExit().join());
    }

    /** After a kill. */
    void start() {
        server.close();
        server = open();
        url = EmbeddedOrExternalDatabase.findRunningUrl(directory).orElseThrow();
    }

    /** {@code STOP} or {@code CONT}, to all its processes. */
    void signal(String signal) {
        ProcessHandle postmaster = postmaster();
        ServiceProcesses.signal(
                postmaster.pid(), signal); // first, so that there are no more of them
        postmaster.children().forEach(each -> ServiceProcesses.signal(each.pid(), signal));
    }

    /** The first line of its file is its process. */
    private ProcessHandle postmaster() {
        Path file = directory.postgres().resolve("cluster").resolve("postmaster.pid");
        try {
            long pid = Long.parseLong(Files.readAllLines(file).getFirst().strip());
            return ProcessHandle.of(pid).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
