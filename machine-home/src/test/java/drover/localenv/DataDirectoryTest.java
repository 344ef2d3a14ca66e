package drover.localenv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodeId;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir Path folder;

    @Test
    void refusesASecondDeployment() {
        DataDirectory directory = new DataDirectory(folder);
        try (DirectoryLock held = directory.createAndLock()) {
            assertThat(held).isNotNull();
            assertThatThrownBy(directory::createAndLock)
                    .isInstanceOf(UserFacingError.class)
                    .hasMessageContaining("Another Drover runs on " + folder)
                    .hasMessageContaining("--data");
        }
    }

    @Test
    void isFreeAgainAfterwards() {
        DataDirectory directory = new DataDirectory(folder.resolve("new"));
        directory.createAndLock().close();
        assertThat(directory.runningProcess()).isEmpty();
        directory.createAndLock().close();
    }

    @Test
    void refusesTheDirectoryOfAnotherVersion() throws IOException {
        Files.writeString(folder.resolve("version"), "drover-data 99\n");
        assertThatThrownBy(() -> new DataDirectory(folder).createAndLock())
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("another version")
                .hasMessageContaining("drover-data 99");
    }

    @Test
    void refusesADirectoryThatIsNotDroversAndLeavesItAlone() throws IOException {
        Files.writeString(folder.resolve("thesis.txt"), "mine");
        assertThatThrownBy(() -> new DataDirectory(folder).createAndLock())
                .hasMessageContaining("not Drover's");
        assertThat(folder.resolve("version")).doesNotExist();
    }

    @Test
    void takesADirectoryInWhichNodesHaveEmptyPlacesAlready() throws IOException {
        Path place = Files.createDirectories(folder.resolve("nodes/berth-01")); // a volume
        Path file = Files.writeString(place.resolve("thesis.txt"), "mine");
        assertThatThrownBy(() -> new DataDirectory(folder).createAndLock())
                .hasMessageContaining("not Drover's");

        Files.delete(file);
        new DataDirectory(folder).createAndLock().close();
        assertThat(folder.resolve("version")).exists();
    }

    @Test
    void makesATokenOnceAndForItsOwnerAlone() throws IOException {
        NodeDirectory node = new DataDirectory(folder).node(new NodeId("edge-1"));
        String token = node.readOrCreateToken();
        assertThat(token).matches("[0-9a-f]{64}").isEqualTo(node.readOrCreateToken());
        assertThat(Files.getPosixFilePermissions(node.tokenFile()))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void namesTheFlagOfAPortThatIsTaken() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> Ports.requireFree(other.getLocalPort(), "--http-port"))
                    .isInstanceOf(UserFacingError.class)
                    .hasMessageContaining("Port " + other.getLocalPort() + " is taken")
                    .hasMessageContaining("--http-port");
        }
    }

    @Test
    void givesNoReservedPort() {
        int only = Ports.findFree(Set.of());
        Set<Integer> others =
                IntStream.rangeClosed(1, 65_535)
                        .filter(port -> port != only)
                        .boxed()
                        .collect(Collectors.toSet());
        assertThat(Ports.findFree(others)).isEqualTo(only);
    }

    @Test
    void twoDeploymentsOfAMachineDoNotStartWithTheSamePorts() {
        assertThat(IntStream.range(0, 20).map(i -> Ports.findFree(Set.of())).distinct().count())
                .isGreaterThan(10); // of 13,801, so that chance never fails it
    }
}
