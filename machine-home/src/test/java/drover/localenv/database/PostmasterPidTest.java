package drover.localenv.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code postmaster.pid} and the kernel say together; the kernel's words are files here. */
class PostmasterPidTest {
    @TempDir Path folder;

    private Path cluster;
    private Path proc;

    @BeforeEach
    void leaveALockFile() throws IOException {
        cluster = Files.createDirectories(folder.resolve("cluster"));
        proc = Files.createDirectories(folder.resolve("proc"));
        Files.writeString(cluster.resolve("postmaster.pid"), "4711\n" + cluster + "\n170\n");
    }

    @Test
    void readsThePidAndTheDirectory() {
        assertThat(PostmasterPid.parse(List.of("-12 ", " /data/cluster", "1")))
                .contains(new PostmasterPid(12, "/data/cluster"));
        assertThat(PostmasterPid.parse(List.of("twelve", "/data/cluster"))).isEmpty();
        assertThat(PostmasterPid.parse(List.of("12"))).isEmpty();
    }

    @Test
    void findsTheServerThatRuns() throws IOException {
        process("S", "/bin/postgres\0-D\0" + cluster + "\0");
        assertThat(PostmasterPid.findLive(cluster, proc))
                .contains(new PostmasterPid(4711, cluster.toString()));
    }

    @Test
    void aServerThatHasEndedAndIsNotReapedDoesNotRun() throws IOException {
        process("Z", "/bin/postgres\0-D\0" + cluster + "\0");
        assertThat(PostmasterPid.findLive(cluster, proc)).isEmpty();
        assertThat(new PostmasterPid(4711, cluster.toString()).isAlive(proc)).isFalse();
    }

    @Test
    void aPidThatAnotherProgramHasNowIsNoServer() throws IOException {
        process("S", "/usr/bin/sleep\0" + cluster + "\0");
        assertThat(PostmasterPid.findLive(cluster, proc)).isEmpty();
    }

    @Test
    void aServerOfAnotherDirectoryIsNotOurs() throws IOException {
        process("S", "/bin/postgres\0-D\0/another/cluster\0");
        assertThat(PostmasterPid.findLive(cluster, proc)).isEmpty();
    }

    @Test
    void missingPidIsNotRunning() {
        assertThat(PostmasterPid.findLive(cluster, proc)).isEmpty();
    }

    private void process(String state, String command) throws IOException {
        Path process = Files.createDirectories(proc.resolve("4711"));
        Files.writeString(process.resolve("stat"), "4711 (a) S (b) " + state + " 1 4711 0");
        Files.writeString(process.resolve("cmdline"), command);
    }
}
