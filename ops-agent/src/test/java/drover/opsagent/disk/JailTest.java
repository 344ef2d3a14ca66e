package drover.opsagent.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.model.NodePath;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a node on the machine's own disk, with somebody who wants them to lie elsewhere. */
class JailTest {
    private static final byte[] CONTENT = "ours".getBytes(StandardCharsets.UTF_8);
    private static final int WRITES = 2_000;

    @TempDir Path directory;
    private Path jail;
    private Path outside;
    private LocalDisk disk;
    private DurableFiles files;

    @BeforeEach
    void aNodeAndWhatIsNotItsOwn() throws IOException {
        jail = Files.createDirectories(directory.resolve("node"));
        outside = Files.createDirectories(directory.resolve("outside"));
        Files.createDirectories(jail.resolve("etc/app"));
        Files.writeString(outside.resolve("app.toml"), "theirs");
        disk = LocalDisk.jailedIn(jail, directory.resolve("state"));
        files = new DurableFiles(disk, new Random(1));
    }

    private NodeRoot root(LocalPolicy policy) {
        return new NodeRoot(disk, jail, policy);
    }

    @Test
    void writesWhereItMay() throws IOException {
        Path file = root(LocalPolicy.WHOLE_ROOT).resolve(new NodePath("/etc/app/app.toml"));
        files.replace(file, CONTENT, FileMode.CONFIG);
        files.replace(file, CONTENT, FileMode.CONFIG);
        assertThat(Files.readAllBytes(jail.resolve("etc/app/app.toml"))).isEqualTo(CONTENT);
        assertThat(disk.readAll(file)).isEqualTo(CONTENT);
        files.delete(file);
        assertThat(file).doesNotExist();
        disk.delete(file); // once more is as good
    }

    @Test
    @DisplayName("H11: a directory that became a link is not followed, by no operation")
    void followsNoLinkOnTheWay() throws IOException {
        Files.delete(jail.resolve("etc/app"));
        Files.createSymbolicLink(jail.resolve("etc/app"), outside);
        Path file = jail.resolve("etc/app/app.toml");

        assertThatThrownBy(() -> disk.readAll(file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.delete(file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.rename(file, file)).isInstanceOf(DiskFailure.class);
        assertThatThrownBy(() -> disk.createExclusive(file.resolveSibling("x"), FileMode.CONFIG))
                .isInstanceOf(DiskFailure.class);
        requireOutsideUnchanged();
    }

    @Test
    @DisplayName("H11: a file with a second name is not written")
    void refusesAHardLink() throws IOException {
        Files.createLink(jail.resolve("etc/app/app.toml"), outside.resolve("app.toml"));
        assertThatThrownBy(
                        () ->
                                root(LocalPolicy.WHOLE_ROOT)
                                        .resolve(new NodePath("/etc/app/app.toml")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/etc/app/app.toml has another name elsewhere: put a file of its own"
                                + " there.");
    }

    @Test
    @DisplayName("H11: what the node's policy does not list is not written")
    void refusesWhatThePolicyDoesNotList() {
        LocalPolicy policy =
                new LocalPolicy(
                        true, List.of(new NodePath("/etc/app")), Set.of(), Set.of(), Set.of());
        assertThat(root(policy).resolve(new NodePath("/etc/app/app.toml")))
                .isEqualTo(jail.resolve("etc/app/app.toml"));
        assertThatThrownBy(() -> root(policy).resolve(new NodePath("/etc/other.toml")))
                .isInstanceOf(NodeRoot.PathRefused.class)
                .hasMessage(
                        "/etc/other.toml lies under no root of this node's policy (it has"
                                + " /etc/app): plan for other paths, or let the node's owner list"
                                + " it.");
    }

    @Test
    @DisplayName("H11: whoever swaps a directory for a link all the time gains no write outside")
    void nobodyWinsTheRace() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Thread attacker = Thread.ofPlatform().start(() -> swap(over));
        NodeRoot root = root(LocalPolicy.WHOLE_ROOT);
        int written = 0;
        try {
            for (int i = 0; i < WRITES; i++) {
                try {
                    Path file = root.resolve(new NodePath("/etc/app/app.toml"));
                    disk.createExclusive(file.resolveSibling(".drover-" + i), FileMode.CONFIG)
                            .close();
                    disk.rename(file.resolveSibling(".drover-" + i), file);
                    disk.delete(file);
                    written++;
                } catch (DiskFailure | NodeRoot.PathRefused _) {
                    // it was a link, or not there, at that moment
                }
            }
        } finally {
            over.set(true);
            attacker.join();
        }
        assertThat(written).as("writes that met a plain directory").isBetween(1, WRITES - 1);
        requireOutsideUnchanged();
    }

    /** The directory is the plain one, or a link to the outside, in turn. */
    private void swap(AtomicBoolean over) {
        Path target = jail.resolve("etc/app");
        Path plain = jail.resolve("etc/plain");
        Path link = jail.resolve("etc/link");
        try {
            Files.createSymbolicLink(link, outside);
            while (!over.get()) {
                Files.move(target, plain, StandardCopyOption.ATOMIC_MOVE);
                Files.move(link, target, StandardCopyOption.ATOMIC_MOVE);
                Files.move(target, link, StandardCopyOption.ATOMIC_MOVE);
                Files.move(plain, target, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void requireOutsideUnchanged() throws IOException {
        assertThat(Files.readString(outside.resolve("app.toml"))).isEqualTo("theirs");
        try (var entries = Files.list(outside)) {
            assertThat(entries).containsExactly(outside.resolve("app.toml"));
        }
        assertThat(Files.exists(outside, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }
}
